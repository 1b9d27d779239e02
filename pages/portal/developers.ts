// The part of developers: what they may do by the cookie that logging in set.

import type { App } from "../../runtime/portal/generated/app.ts";
import type { DeveloperName, Offer, OwnRequest } from "../../runtime/portal/page/own-records.ts";
import { byId } from "../kit/elements.ts";
import { attempt, button, onSubmit, say } from "../kit/messages.ts";
import { ask, askFor, Refusal } from "../kit/requests.ts";
import { type Cell, cell, fill } from "../kit/tables.ts";
import { appElement } from "./apps.ts";
import { askOwn, type Listed, type Written } from "./own.ts";
import { day, show, showCredential, stateOf } from "./parts.ts";

/** Listens to the elements of this part. */
export function startDevelopment(): void {
  const login = byId<HTMLFormElement>("login");
  onSubmit(login, async () => {
    const { username, password } = valuesOf(login);
    const body = JSON.stringify({ username, password });
    const { Message } = await askFor<Written>("POST", "entrance/login", { body });
    login.reset();
    await showOwn(Message);
  });
  byId("change").addEventListener("click", () => attempt(() => changePassword(login)));
  const form = byId<HTMLFormElement>("new-app");
  onSubmit(form, async () => {
    const values = new FormData(form);
    await askOwn("POST", "/apps", { name: values.get("name"), products: values.getAll("product") });
    form.reset();
    await showOwn();
  });
}

/** Shows this part where the browser has a session from before. */
export function resumeSession(): Promise<void> {
  return attempt(async () => {
    try {
      const { email } = await askOwn<DeveloperName>("GET", "/me");
      await showOwn(email);
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error;
    }
  });
}

function valuesOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

async function changePassword(login: HTMLFormElement): Promise<void> {
  const values = valuesOf(login);
  if (values.new_password === "") throw new Error("Write the new password.");
  await ask("POST", "entrance/password", { body: JSON.stringify(values) });
  for (const input of login.querySelectorAll<HTMLInputElement>("input[type=password]")) input.value = "";
  say("The password is changed. Log in with it.");
}

async function showOwn(who = byId("who").textContent): Promise<void> {
  const [{ Data: offers }, { Data: requests }, { Data: apps }] = await Promise.all([
    askOwn<Listed<Offer>>("GET", "/catalogue"),
    askOwn<Listed<OwnRequest>>("GET", "/requests?p=-1"),
    askOwn<Listed<App>>("GET", "/apps?p=-1"),
  ]);
  const catalogue = offers.map((offer): [string, readonly Cell[]] => [
    JSON.stringify(offer),
    offerCells(offer),
  ]);
  fill(byId<HTMLTableElement>("catalogue"), new Map(catalogue));
  const own = requests.map((request): [string, readonly Cell[]] => [request.id ?? "", requestCells(request)]);
  fill(byId<HTMLTableElement>("own"), new Map(own));
  const products = offers.filter((offer) => offer.has_access);
  const options = products.map((offer) => new Option(nameOf(offer), offer.policy));
  byId("new-app")
    .querySelector("select")
    ?.replaceChildren(...options);
  byId("apps").replaceChildren(...(await Promise.all(apps.map((app) => appElement(app, products, showOwn)))));
  show("develop", who);
}

function nameOf({ name, policy }: Offer): string {
  return name || policy;
}

function offerCells(offer: Offer): readonly Cell[] {
  const name = nameOf(offer);
  const access = offer.has_access
    ? "You have access"
    : button("Ask for access", name, () => askForAccess(offer));
  return [cell(name), cell(offer.version), cell(offer.description), { inside: [access] }];
}

function requestCells(request: OwnRequest): readonly Cell[] {
  const { id = "", apply_policies: policies = [], approved } = request;
  const name = request.name || policies.join(", ");
  const inside = approved === true ? [] : [button("Take back", name, () => takeBack(id))];
  return [cell(name), cell(day(request.date_created)), cell(stateOf(request)), { inside }];
}

async function askForAccess({ policy }: Offer): Promise<void> {
  const { Meta } = await askOwn<Written>("POST", "/requests", { policy });
  say(Meta === null ? "Asked. Somebody has to approve it." : "You have access.");
  if (Meta !== null) showCredential(Meta);
  await showOwn();
}

async function takeBack(id: string): Promise<void> {
  await askOwn("DELETE", `/requests/${encodeURIComponent(id)}`);
  await showOwn();
  say("Taken back.");
}
