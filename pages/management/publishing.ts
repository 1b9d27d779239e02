// An API into the catalogue of the portal.

import { shown } from "../kit/dialogs.ts";
import { byId } from "../kit/elements.ts";
import { say } from "../kit/messages.ts";
import { askService } from "./ask.ts";

/** Asks what the catalogue is to say, and publishes. */
export async function publish(id: string): Promise<void> {
  const form = byId<HTMLFormElement>("offer");
  const field = (name: string) => {
    const found = form.elements.namedItem(name);
    return found instanceof HTMLInputElement ? found : undefined;
  };
  if ((await shown(byId<HTMLDialogElement>("publishing"))) !== "publish") return;
  const text = (name: string) => field(name)?.value.trim() ?? "";
  const offer = {
    policy_id: text("policy_id"),
    ...(text("name") !== "" && { name: text("name") }),
    show: field("show")?.checked === true,
    ...(text("short_description") !== "" && { short_description: text("short_description") }),
  };
  await askService("POST", `/apis/streams/${encodeURIComponent(id)}/publish`, {
    body: JSON.stringify(offer),
  });
  form.reset();
  say("Published in the catalogue of the portal.");
}
