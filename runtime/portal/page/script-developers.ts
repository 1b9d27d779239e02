/** The part of developers: what they may do by the cookie that they logged in for. */
export const developersScript = `
const own = (method, path, body) => ask(method, "own" + path, body);
const every = "?p=-1";

async function showOwn(who) {
  const [offers, requests, apps] = await Promise.all([
    own("GET", "/catalogue"), own("GET", "/requests" + every), own("GET", "/apps" + every),
  ]);
  fill(byId("catalogue"), offers.Data.map((offer) => [
    offer.name || offer.policy, offer.version, offer.description,
    offer.has_access ? "You have access" : [button("Ask for access", offer.name || offer.policy, () => askFor(offer))],
  ]));
  fill(byId("own"), requests.Data.map((request) => {
    const name = request.name || request.apply_policies.join(", ");
    const acts = request.approved ? "" : [button("Take back", name, () => takeBack(request.id))];
    return [name, day(request.date_created), request.approved ? "approved" : "waiting", acts];
  }));
  const products = offers.Data.filter((offer) => offer.has_access);
  byId("new-app").elements.product.replaceChildren(
    ...products.map((offer) => Object.assign(element("option", offer.name || offer.policy), { value: offer.policy })),
  );
  byId("apps").replaceChildren(...(await Promise.all(apps.Data.map((app) => describeApp(app, products)))));
  show("develop", who ?? byId("who").textContent);
}

async function askFor(offer) {
  const answer = await own("POST", "/requests", { policy: offer.policy });
  say(answer.Meta === null ? "Asked. Somebody has to approve it." : "You have access.");
  if (answer.Meta !== null) showCredential(answer.Meta);
  await showOwn();
}

async function takeBack(id) {
  await own("DELETE", "/requests/" + encodeURIComponent(id));
  await showOwn();
  say("Taken back.");
}

async function describeApp(app, products) {
  const path = "/apps/" + encodeURIComponent(app.id);
  const { Data } = await own("GET", path + "/webhooks" + every);
  const article = element("article", undefined, element("h3", app.name));
  article.setAttribute("aria-label", "App " + app.name);
  article.append(...Data.map((webhook) => describeWebhook(path, webhook)));
  const offered = products.filter((offer) => app.products?.includes(offer.policy));
  const events = [...new Set(offered.flatMap((offer) => offer.events))];
  if (events.length > 0) article.append(webhookForm(path, events));
  article.append(button("Delete the app", app.name, async () => {
    if (!(await isSure("Delete " + app.name + " and its webhooks?"))) return;
    await own("DELETE", path);
    await showOwn();
  }));
  return article;
}

function describeWebhook(path, webhook) {
  const at = path + "/webhooks/" + encodeURIComponent(webhook.id);
  const list = element("dl");
  const { waiting = 0, dead = 0, last_failure: failure = "" } = webhook.state ?? {};
  describe(list, [
    ["Sent to", webhook.url], ["Events", webhook.events.join(", ")],
    ["State", webhook.disabled ? "switched off" : "on"],
    ["Waiting", String(waiting)], ["Given up", String(dead)],
    ...(failure === "" ? [] : [["Last failure", failure]]),
  ]);
  const acts = element("p");
  acts.append(button(webhook.disabled ? "Switch on" : "Switch off", webhook.url, async () => {
    const { url, events, description } = webhook;
    await own("PUT", at, { url, events, description, disabled: !webhook.disabled });
    await showOwn();
  }));
  if (dead > 0) acts.append(button("Send again", webhook.url, async () => {
    await own("POST", at + "/replay");
    await showOwn();
    say("What was given up is sent again.");
  }));
  acts.append(button("Delete", webhook.url, async () => {
    if (!(await isSure("Delete the webhook to " + webhook.url + "?"))) return;
    await own("DELETE", at);
    await showOwn();
  }));
  return element("div", undefined, list, acts);
}

function webhookForm(path, events) {
  const form = element("form");
  const url = Object.assign(element("input"), { name: "url", type: "url", required: true });
  form.append(element("label", "Send events to ", url), ...events.map((event) => {
    const box = Object.assign(element("input"), { type: "checkbox", name: "events", value: event });
    return element("label", undefined, box, " " + event);
  }), element("p", undefined, element("button", "Add a webhook")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const chosen = [...form.querySelectorAll("input[name=events]:checked")].map((box) => box.value);
      if (chosen.length === 0) throw new Error("Choose an event.");
      const answer = await own("POST", path + "/webhooks", { url: url.value, events: chosen });
      const secret = answer.Meta?.secret;
      if (secret) showCredential({ secret });
      await showOwn();
    });
  });
  return form;
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const { username, password } = event.target.elements;
    const answer = await ask("POST", "entrance/login", { username: username.value, password: password.value });
    event.target.reset();
    await showOwn(answer.Message);
  });
});
byId("change").addEventListener("click", () => attempt(async () => {
  const { username, password, new_password: fresh } = byId("login").elements;
  if (fresh.value === "") throw new Error("Write the new password.");
  const body = { username: username.value, password: password.value, new_password: fresh.value };
  await ask("POST", "entrance/password", body);
  password.value = fresh.value = "";
  say("The password is changed. Log in with it.");
}));
byId("new-app").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const { name, product } = event.target.elements;
    const products = [...product.selectedOptions].map((option) => option.value);
    await own("POST", "/apps", { name: name.value, products });
    event.target.reset();
    await showOwn();
  });
});
byId("leave").addEventListener("click", () => attempt(async () => {
  if (token === "") await ask("DELETE", "entrance/login");
  token = "";
  byId("requests").tBodies[0].replaceChildren();
  show("enter", "");
}));
// Somebody may have logged in before.
own("GET", "/me").then(({ email }) => showOwn(email)).catch(() => undefined);
`;
