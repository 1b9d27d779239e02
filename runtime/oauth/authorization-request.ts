// Authorization requests, with which a client sends a user's browser (RFC 6749, section 4.1.1).

import { redirectUri } from "../generated/formats.ts";
import type { ClientStore, OauthClient } from "./clients.ts";
import type { OauthErrorName } from "./oauth-error.ts";

/** A valid request on which a user may decide. */
export interface AuthorizationRequest {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The `state` of the client, which is sent back unchanged. */
  readonly state: string | undefined;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
}

/**
 * The result of reading a request. `unknown`: the redirect URI is not known to be the client's: there is no redirect.
 */
export type ReadAuthorization =
  | ({ readonly kind: "valid" } & AuthorizationRequest)
  | { readonly kind: "unknown"; readonly reason: string }
  | ({
      readonly kind: "refused";
      readonly error: OauthErrorName | "unsupported_response_type";
      readonly reason: string;
    } & Pick<AuthorizationRequest, "redirectUri" | "state">);

/** The recognised parameters. Each may occur only once. */
const parameters = [
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
];
/** The maximum number of characters of `state`. */
const longest = 2_048;

/** Reads a request. Rejects if the store of clients does. */
export async function readAuthorization(
  query: URLSearchParams,
  clients: ClientStore,
): Promise<ReadAuthorization> {
  const repeated = parameters.find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return { kind: "unknown", reason: `\`${repeated}\` is given more than once.` };
  const value = (name: string) => query.get(name) || undefined;
  const client = await clients.findClient(value("client_id") ?? "");
  if (client === undefined || client.is_inactive === true)
    return { kind: "unknown", reason: "The application is unknown." };
  const redirectUri = value("redirect_uri") ?? "";
  if (!addressesOf(client).includes(redirectUri) || !isRedirectUri(redirectUri))
    return { kind: "unknown", reason: "The redirect URI is not registered for the application." };
  const state = value("state");
  if (state !== undefined && state.length > longest)
    return { kind: "unknown", reason: "`state` is too long." };
  const refused = (error: OauthErrorName | "unsupported_response_type", reason: string) =>
    ({ kind: "refused", error, reason, redirectUri, state }) as const;
  const [type, challenge = "", method] = ["response_type", "code_challenge", "code_challenge_method"].map(
    value,
  );
  if (type === undefined) return refused("invalid_request", "response_type is missing");
  if (type !== "code") return refused("unsupported_response_type", "The response_type is code");
  if (method !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
    return refused("invalid_request", "code_challenge with code_challenge_method=S256 is needed (RFC 7636)");
  const granted = client.scopes ?? [];
  const requested =
    value("scope")
      ?.split(" ")
      .filter((scope) => scope !== "") ?? granted;
  if (!requested.every((scope) => granted.includes(scope)))
    return refused("invalid_scope", "The client may not have every requested scope");
  return { kind: "valid", client, redirectUri, scopes: [...new Set(requested)], state, challenge };
}

function addressesOf({ redirect_uri: one, redirect_uris: more = [] }: OauthClient): readonly string[] {
  return one === undefined ? more : [one, ...more];
}

/** Whether a redirect URI is acceptable. Those of `gateway.yaml` are checked when the gateway is built. */
export function isRedirectUri(text: string): boolean {
  return redirectUri.accepts(text) && URL.canParse(text);
}
