// OAuth 2.0 client credentials (RFC 6749, section 4.4): fetches access tokens when needed and keeps them while they
// are valid.

import { GatewayError, toGatewayError } from "../errors.ts";
import { basicValue } from "./basic-credentials.ts";
import { type Answer, readAtMost } from "./bounded-answer.ts";
import type { Credentials, OutgoingRequest } from "./request.ts";

/** The fields of a token request that the `oauth2` blocks of all components share. */
export interface ClientCredentials {
  readonly client_key?: string;
  readonly client_secret?: string;
  readonly token_url?: string;
  readonly scopes?: readonly string[];
  /** Additional form fields of the request. */
  readonly endpoint_params?: Readonly<Record<string, readonly string[]>>;
}

/** The `oauth2` block of an HTTP request. */
export interface ClientCredentialsBlock extends ClientCredentials {
  readonly enabled?: boolean;
}

/** A request to the token endpoint. */
export interface TokenRequest extends OutgoingRequest {
  readonly body: Buffer;
}

/** Sends a request to the token endpoint once; rejects if no response arrives or the signal is aborted. */
export type SendTokenRequest = (
  request: TokenRequest,
  signal: AbortSignal,
) => Promise<Answer & { readonly status: number }>;

interface Token {
  readonly value: string;
  /** A time of `performance.now()`. */
  readonly expiresAt: number;
}

/** Milliseconds before its expiry in which a token is not used: it might be refused when it arrives. */
const margin = 10_000;
/** The timeout of a token request in milliseconds: several requests wait for one token, each with its own limit. */
const deadline = 30_000;
/** The longest response in bytes. */
const longest = 256 * 1024;

/**
 * Returns the credentials of a block; `undefined` if it is disabled. A token without a lifetime is used until a server
 * responds with 401, which makes the next request fetch a new one.
 */
export function clientCredentials(block: ClientCredentialsBlock): Credentials | undefined {
  if (block.enabled !== true) return undefined;
  const tokens = new TokenSource(block, Number.POSITIVE_INFINITY);
  return {
    async apply({ headers }, send) {
      const value = await tokens.token(send);
      headers.set("authorization", `Bearer ${value}`);
    },
    renew({ headers }) {
      const used = headers.get("authorization");
      if (used !== undefined) tokens.discard(used.slice("Bearer ".length));
      return true;
    },
  };
}

/**
 * The current token of one client. One token request is in flight at a time, however many callers wait for it; a
 * failure is not stored. Token endpoints accept the client's id and secret in a header, as the standard prefers, or
 * in the form; the first token request determines which of the two works.
 */
export class TokenSource {
  readonly #credentials: ClientCredentials;
  readonly #defaultLifetime: number;
  #methods: readonly AuthenticationMethod[] = ["header", "form"];
  #current: Token | undefined;
  #fetching: Promise<Token> | undefined;

  /**
   * `defaultLifetime`: milliseconds that a token is used for if the response has no `expires_in`; 0 for a single use.
   */
  constructor(credentials: ClientCredentials, defaultLifetime: number) {
    this.#credentials = credentials;
    this.#defaultLifetime = defaultLifetime;
  }

  /** Returns a token that has not expired. Rejects with a `GatewayError` that quotes no secret. */
  async token(send: SendTokenRequest): Promise<string> {
    if (this.#current !== undefined && performance.now() < this.#current.expiresAt)
      return this.#current.value;
    this.#fetching ??= this.#fetch(send).finally(() => {
      this.#fetching = undefined;
    });
    const { value } = await this.#fetching;
    return value;
  }

  /** Forgets a token that was refused, unless a newer one has been fetched since. */
  discard(value: string): void {
    if (this.#current?.value === value) this.#current = undefined;
  }

  async #fetch(send: SendTokenRequest): Promise<Token> {
    let refusal: RefusedError | undefined;
    for (const method of this.#methods) {
      try {
        this.#current = await exchange(tokenRequest(this.#credentials, method), this.#defaultLifetime, send);
        this.#methods = [method];
        return this.#current;
      } catch (error) {
        if (!(error instanceof RefusedError)) {
          throw toGatewayError(error, 502, "OAuth 2 token endpoint unreachable");
        }
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

/** `client_secret_basic` and `client_secret_post` of OpenID Connect. */
type AuthenticationMethod = "header" | "form";

function tokenRequest(credentials: ClientCredentials, method: AuthenticationMethod): TokenRequest {
  const {
    client_key = "",
    client_secret = "",
    token_url = "",
    scopes = [],
    endpoint_params = {},
  } = credentials;
  const url = URL.parse(token_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new GatewayError(500, "Expected an HTTP address in `oauth2.token_url`");
  }
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  for (const [name, values] of Object.entries(endpoint_params)) {
    form.delete(name);
    for (const value of values) form.append(name, value);
  }
  const headers = new Map([
    ["accept", "application/json"],
    ["content-type", "application/x-www-form-urlencoded"],
  ]);
  if (method === "header") {
    headers.set("authorization", basicValue(formEncode(client_key), formEncode(client_secret)));
  } else {
    form.set("client_id", client_key);
    form.set("client_secret", client_secret);
  }
  const body = Buffer.from(form.toString());
  // The body may contain the client's secret, which only this server may receive.
  return { verb: "POST", url, headers, body, mayGoTo: ({ origin }) => origin === url.origin };
}

/** Encodes an id or a secret as a form value before it goes into the header (section 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The token endpoint refused the client. */
class RefusedError extends GatewayError {}

async function exchange(
  request: TokenRequest,
  defaultLifetime: number,
  send: SendTokenRequest,
): Promise<Token> {
  const sentAt = performance.now();
  const answer = await send(request, AbortSignal.timeout(deadline));
  const { status } = answer;
  const body = String(await readAtMost(answer, longest, tooLong));
  if (status < 200 || status >= 300) {
    const message = `The OAuth 2 token endpoint answered with status ${status}`;
    throw status === 400 || status === 401 ? new RefusedError(502, message) : new GatewayError(502, message);
  }
  return readToken(body, sentAt, defaultLifetime);
}

function tooLong(): GatewayError {
  return new GatewayError(502, `The answer of the OAuth 2 token endpoint is longer than ${longest} bytes`);
}

/** Parses a token. Errors quote nothing of the body, which may contain the token. */
function readToken(body: string, sentAt: number, defaultLifetime: number): Token {
  const { access_token: value, expires_in: lifetime } = parseObject(body);
  if (typeof value !== "string" || value === "" || /[^\x21-\x7e]/.test(value)) {
    throw new GatewayError(502, "The OAuth 2 token endpoint answered without an `access_token`");
  }
  // Some token endpoints send the number as a string.
  const seconds = lifetime === undefined || lifetime === null ? Number.NaN : Number(lifetime);
  const expiresAt =
    sentAt + (seconds > 0 ? Math.max(seconds * 1000 - margin, seconds * 500) : defaultLifetime);
  return { value, expiresAt };
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {}; // a body that is not JSON contains no token
  }
}
