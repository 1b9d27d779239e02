// The interface between single sign-on and the server whose page it protects.

import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { GatewayError } from "../errors.ts";
import { escapeText } from "../oauth/authorization-page.ts";
import type { EndedByProvider, SignedIn } from "./provider.ts";
import { completeSettings, type SignOnSettings } from "./settings.ts";

/** A person with a session, as the page shows them. */
export interface SignedOnPerson {
  readonly role: string;
  readonly name: string;
}

/** A session to start. */
export interface NewSession extends SignedIn {
  /** The SHA-256 digest of the state, which can start only one session. */
  readonly stateHash: string;
  /** The duration in milliseconds. */
  readonly lifetime: number;
  readonly isSecure: boolean;
}

/** The sessions of the server and its rules about who may have one. */
export interface SignOnHost {
  /** The name of the server, used in the name of the sign-in cookie and in the key that seals it. */
  readonly purpose: string;
  /** The path of single sign-on, such as `/portal/sign-in`. */
  readonly path: string;
  /** The path of the page, with a trailing slash. */
  readonly home: string;
  /**
   * Starts a session and returns its `Set-Cookie` headers. Resolves with an error for people if the person may not have
   * one. Rejects if the store is not available.
   */
  begin(session: NewSession): Promise<readonly string[] | GatewayError>;
  /** Returns the person whose session the cookies of a request contain. */
  find(request: IncomingMessage): Promise<SignedOnPerson | undefined>;
  /** Ends the session of a request. Returns the `Set-Cookie` headers and the ID token that the session started with. */
  end(
    request: IncomingMessage,
    isSecure: boolean,
  ): Promise<{ readonly cookies: readonly string[]; readonly idToken: string | undefined }>;
  /** Ends the sessions that the provider has ended. */
  endAll(ended: EndedByProvider): Promise<void>;
}

/**
 * Returns the key of a person in `sso_key`. Issuers have no fragment (OpenID Connect Core, section 2), so it is unique.
 */
export function subjectKey({ iss, sub }: { readonly iss: string; readonly sub: string }): string {
  return `${iss}#${sub}`;
}

/** Returns the fields of a new session that both stores keep. */
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

/** Returns a hash of the provider, the rules and the organisation. Sessions that started with other settings end. */
export function hashRules(settings: SignOnSettings, roles: readonly object[], organisation: string): string {
  const { issuer, client_id, claim } = completeSettings(settings);
  return hash("sha256", JSON.stringify([issuer, client_id, claim, roles, organisation]), "hex");
}

/** The sign-in options of a page. */
export interface DoorOffer {
  /** The name of the provider for people. */
  readonly name: string;
  /** Whether people can also sign in with passwords. */
  readonly passwords: boolean;
}

/** Returns the document of a page with the attributes that its script reads. */
export function withSignOn(html: string, { name, passwords }: DoorOffer): string {
  const attributes = `data-sign-on="${escapeText(name)}"${passwords ? "" : ' data-only="sign-on"'}`;
  return html.replace('<div id="app">', () => `<div id="app" ${attributes}>`);
}
