// The part of administrators: requests for access, by the portal's own interface and a token that is kept in memory.

import type { KeyRequest } from "../../runtime/portal/generated/key-request.ts";
import { choose, shown } from "../kit/dialogs.ts";
import { byId, describe } from "../kit/elements.ts";
import { attempt, button, onSubmit, say } from "../kit/messages.ts";
import { askFor } from "../kit/requests.ts";
import { type Cell, cell, fill } from "../kit/tables.ts";
import { day, show, showCredential, stateOf } from "./parts.ts";

let token = "";
let page = 1;

/** Listens to the elements of this part. */
export function startAdministration(): void {
  const form = byId<HTMLFormElement>("token");
  onSubmit(form, async () => {
    token = String(new FormData(form).get("token") ?? "");
    form.reset();
    page = 1;
    try {
      await listRequests();
    } catch (error) {
      token = "";
      throw error;
    }
    show("administer", "Administrator");
  });
  byId("filter").addEventListener("change", () => showPage(1));
  byId("before").addEventListener("click", () => showPage(page - 1));
  byId("after").addEventListener("click", () => showPage(page + 1));
}

/** Forgets the token and what was shown by it; false where there is none. */
export function endAdministration(): boolean {
  if (token === "") return false;
  token = "";
  fill(byId<HTMLTableElement>("requests"), new Map());
  return true;
}

function askPortal<T>(method: string, path: string): Promise<T> {
  return askFor<T>(method, `/api/portal${path}`, { headers: { authorization: token } });
}

function showPage(number: number): Promise<void> {
  page = number;
  return attempt(listRequests);
}

async function listRequests(): Promise<void> {
  const approved = byId<HTMLSelectElement>("filter").value;
  const query = new URLSearchParams({
    p: String(page),
    page_size: "20",
    ...(approved !== "" && { approved }),
  });
  const answer = await askPortal<{ Data: readonly KeyRequest[]; Pages: number }>("GET", `/requests?${query}`);
  const pages = Math.max(1, answer.Pages);
  if (answer.Data.length === 0 && page > pages) {
    page = pages;
    return listRequests();
  }
  const rows = answer.Data.map((request): [string, readonly Cell[]] => [request.id ?? "", cellsOf(request)]);
  fill(byId<HTMLTableElement>("requests"), new Map(rows));
  byId("page").textContent = `Page ${page} of ${pages}`;
  byId<HTMLButtonElement>("before").disabled = page <= 1;
  byId<HTMLButtonElement>("after").disabled = page >= pages;
}

function cellsOf(request: KeyRequest): readonly Cell[] {
  const { id = "", approved } = request;
  const [name, by] = [nameOf(request), developerOf(request)];
  const about = `${name} by ${by}`;
  const inside = [
    button("Details", about, () => showDetails(id)),
    ...(approved === true ? [] : [button("Approve", about, () => approve(id))]),
    button("Delete", about, () => remove(id, name)),
  ];
  return [cell(name), cell(by), cell(day(request.date_created)), cell(stateOf(request)), { inside }];
}

function nameOf({ id = "", apply_policies: policies = [], ...request }: KeyRequest): string {
  const { catalogue_entry: entry, for_plan: plan = "", for_api: api } = request;
  return String(entry?.name ?? "") || policies.join(", ") || plan || api || id;
}

function developerOf({ portal_developer: developer, by_user: user }: KeyRequest): string {
  return String(developer?.email ?? user);
}

async function showDetails(id: string): Promise<void> {
  const request = await askPortal<KeyRequest>("GET", `/requests/${encodeURIComponent(id)}`);
  const entries: readonly [string, string][] = [
    ["Asked for", nameOf(request)],
    ["Policies", (request.apply_policies ?? []).join(", ")],
    ["Developer", developerOf(request)],
    ["On", request.date_created ?? ""],
    ["State", stateOf(request)],
    ["Redirects to", request.oauth_info?.redirect_uri ?? ""],
    ...Object.entries(request.fields ?? {}),
  ];
  describe(
    byId("fields"),
    entries.filter(([, text]) => text !== ""),
  );
  await shown(byId<HTMLDialogElement>("details"));
}

async function approve(id: string): Promise<void> {
  const path = `/requests/approve/${encodeURIComponent(id)}`;
  const credential = await askPortal<Readonly<Record<string, string>>>("PUT", path);
  say("Approved.");
  showCredential(credential);
  await listRequests();
}

async function remove(id: string, name: string): Promise<void> {
  const answer = await choose(`Delete the request for ${name}?`, "", [
    ["yes", "Delete it"],
    ["", "Keep it"],
  ]);
  if (answer !== "yes") return;
  await askPortal("DELETE", `/requests/${encodeURIComponent(id)}`);
  await listRequests();
  say("Deleted.");
}
