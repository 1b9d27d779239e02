/** The part of administrators: requests, by the portal's own interface and a token that is kept in memory. */
export const administratorsScript = `
let token = "";
let page = 1;

const portal = (method, path, body) => ask(method, "/api/portal" + path, body, { authorization: token });

async function listRequests() {
  const approved = byId("filter").value;
  const query = new URLSearchParams({ p: String(page), page_size: "20" });
  if (approved !== "") query.set("approved", approved);
  const { Data, Pages } = await portal("GET", "/requests?" + query);
  if (Data.length === 0 && page > 1) {
    page = Math.max(1, Pages);
    return listRequests();
  }
  fill(byId("requests"), Data.map((request) => {
    const name = nameOfRequest(request);
    const by = request.portal_developer?.email ?? request.by_user;
    const acts = [button("Details", name + " by " + by, () => showDetails(request.id))];
    if (!request.approved) acts.push(button("Approve", name + " by " + by, () => approve(request.id)));
    acts.push(button("Delete", name + " by " + by, () => remove(request.id, name)));
    return [name, by, day(request.date_created), request.approved ? "approved" : "waiting", acts];
  }));
  byId("page").textContent = "Page " + page + " of " + Math.max(1, Pages);
  byId("before").disabled = page <= 1;
  byId("after").disabled = page >= Pages;
}

function nameOfRequest(request) {
  const policies = request.apply_policies?.length ? request.apply_policies : [request.for_plan ?? ""];
  return request.catalogue_entry?.name || policies.join(", ") || request.for_api || request.id;
}

async function showDetails(id) {
  const request = await portal("GET", "/requests/" + encodeURIComponent(id));
  const fields = Object.entries(request.fields ?? {});
  describe(byId("fields"), [
    ["Asked for", nameOfRequest(request)],
    ["Policies", (request.apply_policies ?? []).join(", ")],
    ["Developer", request.portal_developer?.email ?? request.by_user],
    ["On", request.date_created ?? ""],
    ["State", request.approved ? "approved" : "waiting"],
    ["Redirects to", request.oauth_info?.redirect_uri ?? ""],
    ...fields,
  ].filter(([, text]) => text !== ""));
  byId("details").showModal();
}

async function approve(id) {
  const credential = await portal("PUT", "/requests/approve/" + encodeURIComponent(id));
  say("Approved.");
  showCredential(credential);
  await listRequests();
}

async function remove(id, name) {
  if (!(await isSure("Delete the request for " + name + "?"))) return;
  await portal("DELETE", "/requests/" + encodeURIComponent(id));
  await listRequests();
  say("Deleted.");
}

byId("token").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    token = event.target.elements.token.value;
    event.target.reset();
    page = 1;
    await listRequests().catch((error) => {
      token = "";
      throw error;
    });
    show("administer", "Administrator");
  });
});
byId("filter").addEventListener("change", () => {
  page = 1;
  attempt(listRequests);
});
byId("before").addEventListener("click", () => attempt(() => (page -= 1, listRequests())));
byId("after").addEventListener("click", () => attempt(() => (page += 1, listRequests())));
`;
