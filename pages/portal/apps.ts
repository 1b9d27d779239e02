// An app of a developer, with its webhooks.

import type { App } from "../../runtime/portal/generated/app.ts";
import type { Webhook } from "../../runtime/portal/generated/webhook.ts";
import type { Offer } from "../../runtime/portal/page/own-records.ts";
import { choose } from "../kit/dialogs.ts";
import { describe, element } from "../kit/elements.ts";
import { button, onSubmit, say } from "../kit/messages.ts";
import { askOwn, type Listed, type Written } from "./own.ts";
import { showCredential } from "./parts.ts";

/** Shows all that is the developer's, after a change. */
type Refresh = () => Promise<void>;

/** Shows an app; `products` are those that the developer has access to. */
export async function appElement(
  app: App,
  products: readonly Offer[],
  refresh: Refresh,
): Promise<HTMLElement> {
  const path = `/apps/${encodeURIComponent(app.id ?? "")}`;
  const { Data } = await askOwn<Listed<Webhook>>("GET", `${path}/webhooks?p=-1`);
  const offered = products.filter(({ policy }) => app.products?.includes(policy));
  const events = [...new Set(offered.flatMap((offer) => offer.events))];
  const remove = button("Delete the app", app.name, () =>
    removeSurely(path, `Delete ${app.name} and its webhooks?`, refresh),
  );
  const made = element(
    "article",
    element("h3", app.name),
    ...Data.map((webhook) => webhookElement(path, webhook, refresh)),
    ...(events.length === 0 ? [] : [webhookForm(path, events, refresh)]),
    remove,
  );
  made.setAttribute("aria-label", `App ${app.name}`);
  return made;
}

async function removeSurely(path: string, question: string, refresh: Refresh): Promise<void> {
  const answer = await choose(question, "", [
    ["yes", "Delete"],
    ["", "Keep"],
  ]);
  if (answer !== "yes") return;
  await askOwn("DELETE", path);
  await refresh();
}

function webhookElement(app: string, webhook: Webhook, refresh: Refresh): HTMLElement {
  const { url, events, description, disabled = false, state } = webhook;
  const path = `${app}/webhooks/${encodeURIComponent(webhook.id ?? "")}`;
  const { waiting = 0, dead = 0, last_failure: failure = "" } = state ?? {};
  const list = element("dl");
  describe(list, [
    ["Sent to", url],
    ["Events", events.join(", ")],
    ["State", disabled ? "switched off" : "on"],
    ["Waiting", String(waiting)],
    ["Given up", String(dead)],
    ...(failure === "" ? [] : [["Last failure", failure] as const]),
  ]);
  const turn = button(disabled ? "Switch on" : "Switch off", url, async () => {
    await askOwn("PUT", path, { url, events, description, disabled: !disabled });
    await refresh();
  });
  const replay = button("Send again", url, async () => {
    await askOwn("POST", `${path}/replay`);
    await refresh();
    say("What was given up is sent again.");
  });
  const remove = button("Delete", url, () => removeSurely(path, `Delete the webhook to ${url}?`, refresh));
  return element("div", list, element("p", turn, ...(dead > 0 ? [replay] : []), remove));
}

function webhookForm(app: string, events: readonly string[], refresh: Refresh): HTMLFormElement {
  const url = element("input");
  Object.assign(url, { name: "url", type: "url", required: true });
  const boxes = events.map((event) => {
    const box = element("input");
    Object.assign(box, { type: "checkbox", name: "events", value: event });
    return element("label", box, ` ${event}`);
  });
  const form = element(
    "form",
    element("label", "Send events to ", url),
    ...boxes,
    element("p", element("button", "Add a webhook")),
  );
  onSubmit(form, async () => {
    const chosen = new FormData(form).getAll("events");
    if (chosen.length === 0) throw new Error("Choose an event.");
    const { Meta } = await askOwn<Written>("POST", `${app}/webhooks`, { url: url.value, events: chosen });
    if (Meta !== null) showCredential(Meta);
    await refresh();
  });
  return form;
}
