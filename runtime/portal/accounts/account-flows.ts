// Signing up, and choosing a new password, with a link sent by e-mail.

import { GatewayError } from "../../errors.ts";
import { createLoginAttempts, type LoginAttempts } from "../../logins/login-attempts.ts";
import { refusal } from "../../rest/answers.ts";
import type { RestCaller } from "../../rest/operation.ts";
import type { StoreTransaction } from "../../store/store.ts";
import { noteOwnChange } from "../audit.ts";
import { isAddress } from "../developers/addresses.ts";
import { endSessionsOf } from "../developers/credentials-of.ts";
import { columnOf } from "../developers/developer-records.ts";
import { createDeveloper, findDeveloper, getDeveloper } from "../developers/developers.ts";
import { changePassword } from "../developers/log-in.ts";
import { readConfiguration, readPortalName } from "../documents/documents.ts";
import { fillIn, namesLink } from "../documents/placeholders.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { Developer } from "../generated/developer.ts";
import type { TextName } from "../languages/english.ts";
import { textIn } from "../languages/languages.ts";
import { mailDeveloper, senderOf } from "../mail/letters.ts";
import type { Letter } from "../mail/mailer.ts";
import type { InvitationMailer, PortalServices } from "../operation.ts";
import { findLink, type LinkKind, makeLink, spendLink, staleLink } from "./links.ts";
import { checkSignUpFields } from "./sign-up-fields.ts";

/** The kinds of e-mail, as `email_copy` of the configuration names them. */
type LinkLetterKind =
  | "sign_up_email"
  | "sign_up_known_email"
  | "password_link_email"
  | "team_invitation_email";

/** The texts used if the configuration has none for the e-mail. */
const usual: Readonly<Record<LinkLetterKind, "signUp" | "known" | "password" | "invitation">> = {
  sign_up_email: "signUp",
  sign_up_known_email: "known",
  password_link_email: "password",
  team_invitation_email: "invitation",
};

/** The data of an e-mail with a link. */
interface LinkLetter {
  readonly to: string;
  readonly portal: string;
  readonly link: string;
  readonly validFor?: number;
  /** For invitations: the name of the team. */
  readonly team?: string;
  /** Follows the text if the text is the portal's own. */
  readonly hint?: string;
  /** Returns a text in the reader's language. */
  readonly textOf: (name: TextName) => string;
}

/**
 * Returns an e-mail with a link, which follows the text unless the text has a placeholder for it; `undefined` if `to`
 * is not an address. The e-mail is useless after `validFor` milliseconds.
 */
function writeLinkLetter(
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

/** The `accounts` block of a portal. */
export interface AccountsOptions {
  /** The address of the page. */
  readonly url: string;
  readonly sign_up?: boolean;
  readonly password_reset?: boolean;
  readonly invitations?: boolean;
}

/** The dependencies of the account flows. */
export interface AccountContext {
  readonly services: PortalServices;
  readonly options: AccountsOptions;
  readonly requests: LoginAttempts;
}

const hour = 3_600_000;
const day = 24 * hour;
/** The validity of links, in milliseconds. */
const lifetimes: Readonly<Record<LinkKind, number>> = { sign_up: day, password: hour, invitation: day };

/** Returns the limits on requests for links. People who share an IP address share its limit. */
export function createLinkRequests(): LoginAttempts {
  return createLoginAttempts({ period: hour, ofAccount: 5, ofAddress: 50 });
}

/** The person who requests a link, and the language of the page. */
export interface Asking {
  readonly caller: RestCaller;
  readonly email: string;
  readonly language: string;
}

/**
 * Sends a sign-up link, or a hint if a developer has this address. The response is the same and takes about as long.
 * Rejects with 400 if `email` is not an address, 403 if the organisation takes no sign-ups, and 429 after too many
 * requests.
 */
export async function askToSignUp(context: AccountContext, asking: Asking): Promise<void> {
  const { caller, email, language } = asking;
  await askForLink(context, asking, async (connection, configuration) => {
    if (configuration.disable_signup === true) throw refusal(403, "This portal does not accept sign-ups.");
    const developer = await findDeveloper(connection, caller.organisation, "email", email);
    return developer === undefined
      ? {
          ...{ to: email, link: "sign_up", letter: "sign_up_email", view: "welcome" },
          record: { email, language },
        }
      : {
          ...{ to: developer.email, link: "sign_up", letter: "sign_up_known_email", view: undefined },
          ...{ record: {}, language: developer.language },
        };
  });
}

/**
 * Sends a link for a new password if an active developer has this address. Rejects with 400 and 429 as `askToSignUp`.
 */
export async function askForPassword(context: AccountContext, asking: Asking): Promise<void> {
  const { caller, email } = asking;
  await askForLink(context, asking, async (connection) => {
    const developer = await findDeveloper(connection, caller.organisation, "email", email);
    if (developer === undefined || developer.inactive === true)
      return { to: email, link: "password", letter: undefined, view: undefined, record: {} };
    const { id, email: to, language } = developer;
    return {
      to,
      link: "password",
      letter: "password_link_email",
      view: "password",
      record: { id },
      language,
    };
  });
}

/** The decision about a request for a link. */
interface LinkAnswer {
  /** The recipient. For an account, the address as stored, whose case may differ from the requested one. */
  readonly to: string;
  readonly link: LinkKind;
  /** `undefined` to send nothing. */
  readonly letter: LinkLetterKind | undefined;
  /** The view of the page that takes the token; `undefined` if the e-mail contains no token. */
  readonly view: string | undefined;
  readonly record: object;
  /** The language of the account, if it has chosen one. */
  readonly language?: string | undefined;
}

async function askForLink(
  { services, options, requests }: AccountContext,
  { caller: { organisation, address = "" }, email, language: requested }: Asking,
  decide: (connection: StoreTransaction, configuration: Configuration) => Promise<LinkAnswer>,
): Promise<void> {
  if (!isAddress(email))
    throw refusal(400, "This is not an e-mail address.", ["email: Does not match format 'email'"]);
  // Every request counts, because only the e-mail may reveal whether there is an account.
  const attempt = requests.begin(JSON.stringify([organisation, email.toLowerCase()]), address);
  if (typeof attempt === "number") {
    throw new GatewayError(429, "Too many e-mails were requested.", {
      retryAfter: attempt,
      reason: "too_many_logins",
    });
  }
  const { store, mailer } = services;
  await store.transact(async (connection) => {
    const configuration = await readConfiguration(connection, organisation);
    const portal = await readPortalName(connection, organisation);
    const { to, link, letter, view, record, language = "" } = await decide(connection, configuration);
    // Insert the row even if nothing is sent, so that both cases take equally long.
    const token = await makeLink(connection, { organisation, kind: link, email }, record, lifetimes[link]);
    if (token === undefined || letter === undefined) return;
    const target = view === undefined ? "forgotten" : `${view}/${token}`;
    const written = writeLinkLetter(configuration, letter, {
      to,
      portal,
      link: `${options.url}#/${target}`,
      validFor: lifetimes[link],
      textOf: (name) => textIn(services.languages, language || requested, name),
    });
    if (written !== undefined) await mailer?.post(connection, organisation, written);
  });
  mailer?.wake();
}

/**
 * Creates the account that a link was sent for. Rejects with 400 if the link is no longer valid, a field is missing or
 * the password is not acceptable (the link stays valid in the last two cases), and with 409 if the account exists by
 * now.
 */
export async function signUp(
  { services }: AccountContext,
  organisation: string,
  { token, password, fields = {} }: SigningUp,
): Promise<{ readonly developer: Developer; readonly isIn: boolean }> {
  const { store, mailer } = services;
  const { record, configuration } = await store.read(async (connection) => ({
    ...(await findLink<{ readonly email?: string; readonly language?: string }>(
      connection,
      { organisation, kind: "sign_up" },
      token,
    )),
    configuration: await readConfiguration(connection, organisation),
  }));
  const { email, language = "" } = record;
  if (email === undefined) throw staleLink();
  if (configuration.disable_signup === true) throw refusal(403, "This portal does not accept sign-ups.");
  checkSignUpFields(configuration, fields);
  const body = { email, password, fields, language };
  const id = await createDeveloper(services, organisation, body, async (connection, own) => {
    await spendLink(connection, { organisation, kind: "sign_up", email }, token);
    await mailDeveloper(services, connection, organisation, "welcome_email", body);
    await noteOwnChange(connection, organisation, own, "signUp");
  });
  mailer?.wake();
  const developer = await getDeveloper(store, organisation, "id", id);
  return { developer, isIn: configuration.disable_auto_login !== true };
}

/** The input that completes a sign-up. */
export interface SigningUp {
  readonly token: string;
  readonly password: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * Sets the password of the developer that a link was sent to, and ends all of the developer's sessions. Rejects with
 * 400 if the link is no longer valid, or if the password is not acceptable, in which case the link stays valid.
 */
export async function choosePassword(
  { services }: AccountContext,
  organisation: string,
  { token, password }: Pick<SigningUp, "token" | "password">,
): Promise<void> {
  const { store, mailer } = services;
  const kind = "password";
  const { id, email } = await store.read(async (connection) => {
    const link = await findLink<{ readonly id?: string }>(connection, { organisation, kind }, token);
    const developer = await findDeveloper(connection, organisation, "id", link.record.id ?? "");
    // The address may belong to another account by now.
    if (developer === undefined || developer.inactive === true || columnOf(developer) !== link.email)
      throw staleLink();
    return developer;
  });
  await changePassword(services, organisation, id, password, async (connection, developer) => {
    await spendLink(connection, { organisation, kind, email }, token);
    await endSessionsOf(connection, organisation, id);
    await mailDeveloper(services, connection, organisation, "reset_password_email", developer);
    await noteOwnChange(connection, organisation, id, "choosePassword");
  });
  mailer?.wake();
}

/**
 * Invitation e-mails per day, so that members cannot make the portal send mail at will. An address gets at most three.
 */
const mostInvitations = { ofSender: 20, ofTeam: 50, ofOrganisation: 500 };

/**
 * Writes the invitation e-mail to the store, in the transaction of the invitation. Active developers get it, and other
 * addresses if sign-ups are enabled. Returns `false` if the sender, team or organisation has reached its daily limit.
 * The result does not reveal whether a developer has the address.
 */
export async function mailInvitation(
  services: PortalServices,
  { url, sign_up: canSignUp = false }: AccountsOptions,
  connection: StoreTransaction,
  organisation: string,
  { team, email, by }: Parameters<InvitationMailer>[3],
): Promise<boolean> {
  if (await hasSentMost(connection, organisation, { team: team.id, by })) return false;
  const kind = "invitation";
  const record = { team: team.id, by };
  const token = await makeLink(connection, { organisation, kind, email }, record, lifetimes[kind]);
  const configuration = await readConfiguration(connection, organisation);
  const developer = await findDeveloper(connection, organisation, "email", email);
  const mayCome =
    developer === undefined
      ? canSignUp && configuration.disable_signup !== true
      : developer.inactive !== true;
  if (token === undefined || !mayCome) return true;
  const textOf = (name: TextName) =>
    textIn(services.languages, developer?.language || services.languages.usual, name);
  const letter = writeLinkLetter(configuration, "team_invitation_email", {
    to: developer?.email ?? email,
    portal: await readPortalName(connection, organisation),
    link: `${url}#/teams`,
    team: isPlainName(team.name) ? team.name : textOf("mail.invitation.team"),
    ...(developer === undefined && { hint: textOf("mail.invitation.signUp") }),
    textOf,
  });
  if (letter !== undefined) await services.mailer?.post(connection, organisation, letter);
  return true;
}

/** Whether the sender, the team or the organisation has reached its daily number of invitation e-mails. */
async function hasSentMost(
  connection: StoreTransaction,
  organisation: string,
  { team, by }: { readonly team: string; readonly by: string },
): Promise<boolean> {
  const rows = await connection
    .selectFrom("portal_links")
    .select("record")
    .where("org_id", "=", organisation)
    .where("kind", "=", "invitation")
    .where("expires", ">", new Date().toISOString())
    .execute();
  const sent = rows.map(({ record }): { readonly team: string; readonly by: string } => JSON.parse(record));
  return (
    sent.length >= mostInvitations.ofOrganisation ||
    sent.filter((each) => each.by === by).length >= mostInvitations.ofSender ||
    sent.filter((each) => each.team === team).length >= mostInvitations.ofTeam
  );
}

/**
 * Whether a team name may appear in an e-mail to any address. The sender chooses the name, so it must not contain
 * anything that mail programs turn into a link, and must be too short for a message.
 */
function isPlainName(name: string): boolean {
  return name.length <= 40 && /^[\p{L}\p{M}\p{N} &'\u2019+_-]+$/u.test(name) && !/(?:www|https?)/i.test(name);
}
