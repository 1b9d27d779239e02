// What single sign-on needs of the server whose page it is for.

import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { GatewayError } from "../errors.ts";
import { escapeText } from "../oauth/authorization-page.ts";
import type { EndedByProvider, SignedIn } from "./provider.ts";
import { completeSettings, type SignOnSettings } from "./settings.ts";

/** A person with a session, as the page shows it. */
export interface SignedOnPerson {
  readonly role: string;
  readonly name: string;
}

/** A session that is to begin. */
export interface NewSession extends SignedIn {
  /** SHA-256 of the state, which begins one session only. */
  readonly stateHash: string;
  /** Milliseconds. */
  readonly lifetime: number;
  readonly isSecure: boolean;
}

/** Sessions of the server, and who may have one. */
export interface SignOnHost {
  /** Names the server: in the cookie between the way to the provider and back, and in what seals it. */
  readonly purpose: string;
  /** Where the paths of single sign-on lie: `/portal/sign-in`. */
  readonly path: string;
  /** Where its page lies, with the final slash. */
  readonly home: string;
  /**
   * Begins a session and gives its `Set-Cookie`s. An error says, for people, why the person gets none; it rejects where the
   * store cannot be had.
   */
  begin(session: NewSession): Promise<readonly string[] | GatewayError>;
  /** The person whose session the cookies of a request are. */
  find(request: IncomingMessage): Promise<SignedOnPerson | undefined>;
  /** Ends the session of a request; gives the `Set-Cookie`s, and the ID token that it began with. */
  end(
    request: IncomingMessage,
    isSecure: boolean,
  ): Promise<{ readonly cookies: readonly string[]; readonly idToken: string | undefined }>;
  /** Ends what the provider has ended. */
  endAll(ended: EndedByProvider): Promise<void>;
}

/** What the portal calls a person in `sso_key`: issuers have no fragment (OpenID Connect Core, section 2). */
export function subjectKey({ iss, sub }: { readonly iss: string; readonly sub: string }): string {
  return `${iss}#${sub}`;
}

/** What both stores keep of a session that begins. */
export function factsOf({ claims, idToken, stateHash, lifetime }: NewSession) {
  const { preferred_username: username, email, sub, sid } = claims;
  const name = [username, email].find((each) => typeof each === "string" && each !== "") ?? sub;
  return {
    state_hash: stateHash,
    name: String(name),
    subject: subjectKey(claims),
    provider_session: typeof sid === "string" ? sid : null,
    id_token: idToken,
    lifetime,
  };
}

/** Changes with the provider, the rules and the organisation: sessions end that began by others. */
export function hashRules(settings: SignOnSettings, roles: readonly object[], organisation: string): string {
  const { issuer, client_id, claim } = completeSettings(settings);
  return hash("sha256", JSON.stringify([issuer, client_id, claim, roles, organisation]), "hex");
}

/** What the door of a page offers. */
export interface DoorOffer {
  /** What people call the provider. */
  readonly name: string;
  /** Whether the other ways in are open, too. */
  readonly passwords: boolean;
}

/** The document of a page, whose script reads these attributes of its place. */
export function withSignOn(html: string, { name, passwords }: DoorOffer): string {
  const attributes = `data-sign-on="${escapeText(name)}"${passwords ? "" : ' data-only="sign-on"'}`;
  return html.replace('<div id="app">', () => `<div id="app" ${attributes}>`);
}
