// E-mails to developers, with the texts that their organisation has configured.

import type { CredentialKind } from "../../keys/accepted-credentials.ts";
import type { StoreTransaction } from "../../store/store.ts";
import { isAddress } from "../developers/addresses.ts";
import { isTeam, type OwnerRecord } from "../developers/owner-records.ts";
import { readConfiguration, readPortalName } from "../documents/documents.ts";
import { fillIn } from "../documents/placeholders.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { Developer } from "../generated/developer.ts";
import type { TextName } from "../languages/english.ts";
import type { PortalServices } from "../operation.ts";
import type { CheckedRequest } from "../requests/checked-request.ts";
import type { IssuedCredential } from "../requests/give-credential.ts";
import { findTeamOwners } from "../teams/members.ts";
import type { Letter } from "./mailer.ts";

type LetterKind = "welcome_email" | "key_email" | "reset_password_email";

type LineName = "client" | "secret" | "fingerprint" | "user" | "password" | "key";

/** The result of an approval. */
export interface Approval {
  /** The credential, which is stored nowhere else. */
  readonly credential: IssuedCredential;
  readonly checked: CheckedRequest;
  /** The owner of the credential. For a team, its owners get the e-mail. */
  readonly owner: OwnerRecord;
}

/** The maximum length of subjects and names, in characters; longer ones are truncated. */
const mostCharacters = 200;

/** Queues the e-mail about an approved request, if it is enabled, in the transaction of the approval. */
export async function mailCredential(
  { mailer }: Pick<PortalServices, "mailer">,
  connection: StoreTransaction,
  organisation: string,
  { checked, owner, credential }: Approval,
): Promise<void> {
  if (mailer === undefined) return;
  const portal = await readPortalName(connection, organisation);
  const readers = isTeam(owner) ? await findTeamOwners(connection, organisation, owner.id) : [owner];
  for (const { email: to, language = "" } of readers) {
    const secrets = linesOf(credential, checked.kind, (name) => mailer.textOf(language, name));
    const letter = writeLetter(checked.configuration, "key_email", { to, portal, secrets });
    if (letter !== undefined) await mailer.post(connection, organisation, letter);
  }
}

/** Queues the e-mail for a new developer or a changed password, if it is enabled, in the transaction of the change. */
export async function mailDeveloper(
  { mailer }: Pick<PortalServices, "mailer">,
  connection: StoreTransaction,
  organisation: string,
  kind: "welcome_email" | "reset_password_email",
  { email }: Pick<Developer, "email">,
): Promise<void> {
  if (mailer === undefined) return;
  const letter = writeLetter(await readConfiguration(connection, organisation), kind, {
    to: email,
    portal: await readPortalName(connection, organisation),
    secrets: [],
  });
  if (letter !== undefined) await mailer.post(connection, organisation, letter);
}

/**
 * Returns an e-mail of this kind; `undefined` if the kind is not enabled. Puts `secrets` between the body and the
 * sign-off unless the organisation hides them.
 */
function writeLetter(
  { mail_options: options = {} }: Configuration,
  kind: LetterKind,
  {
    to,
    portal,
    secrets,
  }: { readonly to: string; readonly portal: string; readonly secrets: readonly string[] },
): Letter | undefined {
  const {
    enabled,
    subject = "",
    body = "",
    sign_off = "",
    hide_token_data,
  } = options.email_copy?.[kind] ?? {};
  if (enabled !== true || !isAddress(to)) return undefined;
  const shown = hide_token_data === true ? [] : secrets;
  const values = { email: to, portal };
  // Credentials are not texts of administrators: their content is not searched for placeholders.
  const parts = [fillIn(body, values), shown.join("\n"), fillIn(sign_off, values)];
  return {
    kind,
    to,
    ...senderOf(options, fillIn(subject, values)),
    text: `${parts.filter((part) => part !== "").join("\n\n")}\n`,
  };
}

/** Returns the headers of an e-mail, except its recipient. */
export function senderOf(
  { mail_from_name: name = "", mail_from_email: from = "" }: NonNullable<Configuration["mail_options"]>,
  subject: string,
): Pick<Letter, "fromName" | "from" | "subject"> {
  return { fromName: lineOf(name), from: isAddress(from) ? from : "", subject: lineOf(subject) };
}

/** Makes a text safe for a header: control characters would end it and begin another one. */
function lineOf(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, mostCharacters);
}

/** Returns a credential as lines of text; an empty list if an existing key of the developer was extended. */
function linesOf(
  credential: IssuedCredential,
  kind: CredentialKind,
  textOf: (name: TextName) => string,
): readonly string[] {
  const line = (name: LineName, value: string) => `${textOf(`credential.line.${name}`)}: ${value}`;
  if ("client_id" in credential)
    return [line("client", credential.client_id), line("secret", credential.secret)];
  const { RawKey: key, Password: password, certificate } = credential;
  if (key === "") return [];
  if (certificate !== undefined) return [line("fingerprint", key), certificate];
  if (kind === "basic") return [line("user", key), line("password", password)];
  return [line("key", key), ...(password === "" ? [] : [line("secret", password)])];
}
