// E-mails that carry a link, and what is sent to people in its place.

import { isAddress } from "../developers/addresses.ts";
import { fillIn, namesLink } from "../documents/placeholders.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { TextName } from "../languages/english.ts";
import { senderOf } from "../mail/letters.ts";
import type { Letter } from "../mail/mailer.ts";

/** The e-mails, as the configuration names their texts. */
export type LinkLetterKind =
  | "sign_up_email"
  | "sign_up_known_email"
  | "password_link_email"
  | "team_invitation_email";

/** What is said where the configuration says nothing. */
const usual: Readonly<Record<LinkLetterKind, "signUp" | "known" | "password" | "invitation">> = {
  sign_up_email: "signUp",
  sign_up_known_email: "known",
  password_link_email: "password",
  team_invitation_email: "invitation",
};

/** What such an e-mail is made of. */
interface LinkLetter {
  readonly to: string;
  readonly portal: string;
  readonly link: string;
  readonly validFor?: number;
  /** Of an invitation: name of the team. */
  readonly team?: string;
  /** Stands after the text, where that is the portal's own. */
  readonly hint?: string;
  /** Gives texts in the language of the reader. */
  readonly textOf: (name: TextName) => string;
}

/**
 * An e-mail with a link, which follows the text unless that names its place; `undefined` for what is not an address. It is of no use
 * after `validFor` milliseconds.
 */
export function writeLinkLetter(
  { mail_options: options = {} }: Configuration,
  kind: LinkLetterKind,
  { to, portal, link, validFor, team, hint, textOf }: LinkLetter,
): Letter | undefined {
  if (!isAddress(to)) return undefined;
  const name = usual[kind];
  const usualBody = [textOf(`mail.${name}.body`), hint ?? ""].filter((part) => part !== "").join("\n\n");
  const preset = { subject: textOf(`mail.${name}.subject`), body: usualBody };
  const { subject, body, sign_off = "" } = { ...preset, ...options.email_copy?.[kind] };
  const values = { email: to, portal, ...(team !== undefined && { team }) };
  const parts = [fillIn(body, { ...values, link }), namesLink(body) ? "" : link, fillIn(sign_off, values)];
  const text = `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  return {
    ...{ kind, to, ...senderOf(options, fillIn(subject, { email: to, portal })), text },
    ...(validFor !== undefined && { validFor }),
  };
}
