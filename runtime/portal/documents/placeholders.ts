// Placeholders in the texts of e-mails, such as `{{email}}`: which there are, and what stands in their place.

import { refusal } from "../../rest/answers.ts";
import type { Configuration } from "../generated/configuration.ts";

type MailOptions = NonNullable<Configuration["mail_options"]>;
type Letters = NonNullable<MailOptions["email_copy"]>;

/** What texts may name. */
export type Placeholder = "email" | "portal" | "link" | "team";

const everywhere: readonly Placeholder[] = ["email", "portal"];
/** Of each e-mail; a link is a secret, which servers on the way would log as part of a subject. */
const inBodies: Readonly<Record<keyof Letters, readonly Placeholder[]>> = {
  welcome_email: everywhere,
  key_email: everywhere,
  reset_password_email: everywhere,
  sign_up_email: [...everywhere, "link"],
  sign_up_known_email: [...everywhere, "link"],
  password_link_email: [...everywhere, "link"],
  team_invitation_email: [...everywhere, "link", "team"],
};
const pattern = /\{\{\s*(\w+)\s*\}\}/g;

/**
 * A text with values in place of its placeholders. Values are not looked into, so an address cannot name a placeholder; what
 * has no value stays, as texts from before placeholders were checked may have it. The result is plain text; headers are made
 * of it by `senderOf`, which keeps them in one line.
 */
export function fillIn(text: string, values: Readonly<Partial<Record<Placeholder, string>>>): string {
  const known = new Map<string, string>(Object.entries(values));
  return text.replace(pattern, (written, name: string) => known.get(name) ?? written);
}

/** Whether a text says where the link stands. */
export function namesLink(text: string): boolean {
  return [...text.matchAll(pattern)].some(([, name]) => name === "link");
}

/** What is wrong with placeholders of a configuration at `path`: each unknown one with those that are known there. */
export function problemsOfPlaceholders(
  { mail_options: { email_copy: letters = {} } = {} }: Configuration,
  path = "mail_options",
): readonly string[] {
  return Object.entries(inBodies).flatMap(([kind, known]) => {
    const { subject = "", body = "", sign_off = "" } = letters[kind as keyof Letters] ?? {};
    const at = `${path}.email_copy.${kind}`;
    return [
      ...unknownIn(subject, everywhere, `${at}.subject`),
      ...unknownIn(body, known, `${at}.body`),
      ...unknownIn(sign_off, everywhere, `${at}.sign_off`),
    ];
  });
}

/** Throws 422 with the problems of a record's e-mails. */
export function refusePlaceholders(kind: "Catalogue" | "Configuration", problems: readonly string[]): void {
  if (problems.length > 0) throw refusal(422, `${kind} object validation failed.`, problems);
}

function unknownIn(text: string, known: readonly Placeholder[], path: string): readonly string[] {
  const names = new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
  const list = known.map((name) => `{{${name}}}`).join(", ");
  return [...names]
    .filter((name) => !known.some((each) => each === name))
    .map((name) => `${path}: unknown placeholder {{${name}}}; known here are ${list}`);
}
