// Placeholders in the texts of e-mails, such as `{{email}}`: the known ones, and their replacement.

import { refusal } from "../../rest/answers.ts";
import type { Configuration } from "../generated/configuration.ts";

type MailOptions = NonNullable<Configuration["mail_options"]>;
type Letters = NonNullable<MailOptions["email_copy"]>;

/** The names of placeholders. */
export type Placeholder = "email" | "portal" | "link" | "team";

const everywhere: readonly Placeholder[] = ["email", "portal"];
/** The placeholders in the body of each e-mail. Subjects must not contain the link, because mail servers log them. */
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
 * Replaces the placeholders in a text with values. Does not expand placeholders within values, so an address cannot
 * inject one. Unknown placeholders stay: texts stored before placeholders were checked may contain them. The result is
 * plain text; `senderOf` makes headers of it and keeps them on one line.
 */
export function fillIn(text: string, values: Readonly<Partial<Record<Placeholder, string>>>): string {
  const known = new Map<string, string>(Object.entries(values));
  return text.replace(pattern, (written, name: string) => known.get(name) ?? written);
}

/** Whether a text contains the placeholder of the link. */
export function namesLink(text: string): boolean {
  return [...text.matchAll(pattern)].some(([, name]) => name === "link");
}

/** Returns a problem for each unknown placeholder of a configuration at `path`, with the known ones. */
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

/** Throws 422 if there are problems with the placeholders of a record. */
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
