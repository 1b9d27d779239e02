// E-mails that carry a link, and what is sent to people in its place.

import { isAddress } from "../developers/addresses.ts";
import { fillIn, namesLink } from "../documents/placeholders.ts";
import type { Configuration } from "../generated/configuration.ts";
import { senderOf } from "../mail/letters.ts";
import type { Letter } from "../mail/mailer.ts";

/** The e-mails, as the configuration names their texts. */
export type LinkLetterKind = "sign_up_email" | "sign_up_known_email" | "password_link_email";

interface LetterText {
  readonly subject: string;
  readonly body: string;
}

/** What is said where the configuration says nothing. */
const usual: Readonly<Record<LinkLetterKind, LetterText>> = {
  sign_up_email: {
    subject: "Complete your registration",
    body: "Open this link to choose a password and complete your registration. It can be used once, within 24 hours. If you did not sign up, ignore this e-mail: no account is made.",
  },
  sign_up_known_email: {
    subject: "You have an account already",
    body: "Someone wanted to sign up with your address, which has an account already. If it was you, log in, or ask for another password here. Otherwise, ignore this e-mail.",
  },
  password_link_email: {
    subject: "Choose another password",
    body: "Open this link to choose another password. It can be used once, within an hour. If you did not ask for it, ignore this e-mail: your password stays as it is.",
  },
};

/**
 * An e-mail with a link, which follows the text unless that names its place; `undefined` for what is no address. It is of no use
 * after `validFor` milliseconds.
 */
export function writeLinkLetter(
  { mail_options: options = {} }: Configuration,
  kind: LinkLetterKind,
  {
    to,
    portal,
    link,
    validFor,
  }: { readonly to: string; readonly portal: string; readonly link: string; readonly validFor: number },
): Letter | undefined {
  if (!isAddress(to)) return undefined;
  const { subject, body, sign_off = "" } = { ...usual[kind], ...options.email_copy?.[kind] };
  const values = { email: to, portal };
  const parts = [fillIn(body, { ...values, link }), namesLink(body) ? "" : link, fillIn(sign_off, values)];
  const text = `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  return { kind, to, ...senderOf(options, fillIn(subject, values)), text, validFor };
}
