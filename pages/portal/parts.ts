// The parts of the page, of which one is shown: logging in, what administrators do, what developers do.

import { shown } from "../kit/dialogs.ts";
import { byId, describe } from "../kit/elements.ts";
import { say } from "../kit/messages.ts";

const parts = ["enter", "administer", "develop"] as const;

/** Shows a part, and who has logged in. */
export function show(part: (typeof parts)[number], who: string): void {
  for (const id of parts) byId(id).hidden = id !== part;
  byId("who").textContent = who;
  byId("leave").hidden = part === "enter";
}

/** The names of a credential's fields. */
const credentialFields: ReadonlyMap<string, string> = new Map([
  ["RawKey", "Key or user name"],
  ["Password", "Password"],
  ["client_id", "Client"],
  ["secret", "Secret"],
  ["policy_id", "Policy"],
  ["redirect_uri", "Redirects to"],
]);

/** Shows a credential until the dialog is closed, and removes it from the page then. */
export function showCredential(credential: Readonly<Record<string, string>>): void {
  const known = Object.entries(credential).flatMap(([field, value]): readonly [string, string][] => {
    const name = credentialFields.get(field);
    return name === undefined || value === "" ? [] : [[name, value]];
  });
  if (known.length === 0) {
    say("The access was added to the key that the developer has.");
    return;
  }
  describe(byId("secret"), known);
  void shown(byId<HTMLDialogElement>("credential")).then(() => byId("secret").replaceChildren());
}

/** The date of a time in UTC. */
export function day(time = ""): string {
  return time.slice(0, 10);
}

/** The state of a request, in a word. */
export function stateOf({ approved }: { readonly approved?: boolean }): string {
  return approved === true ? "approved" : "waiting";
}
