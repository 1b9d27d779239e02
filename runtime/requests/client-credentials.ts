// Tokens of OAuth 2.0 by client credentials (RFC 6749, section 4.4), fetched when needed and kept while valid.

import { text } from "node:stream/consumers";
import { GatewayError, toGatewayError } from "../errors.ts";
import { basicValue } from "./basic-credentials.ts";
import type { Credentials } from "./credentials.ts";
import type { OutgoingRequest, Send } from "./request.ts";

/** The `oauth2` block. */
export interface ClientCredentialsBlock {
  readonly enabled?: boolean;
  readonly client_key?: string;
  readonly client_secret?: string;
  readonly token_url?: string;
  readonly scopes?: readonly string[];
  readonly endpoint_params?: Readonly<Record<string, readonly string[]>>;
}

interface Token {
  readonly value: string;
  /** By `Date.now()`. */
  readonly expiresAt: number;
}

/** A token this close to its end might be refused when it arrives, in milliseconds. */
const margin = 10_000;
/** How long the issuer may take, whatever the request itself may: several requests wait for one token. */
const patience = 30_000;

/**
 * Credentials of a block; `undefined` where it is switched off. One token at a time is asked for, however many
 * requests wait; a failure is not kept. A request that was refused with 401 gets a new one.
 */
export function clientCredentials(block: ClientCredentialsBlock): Credentials | undefined {
  if (block.enabled !== true) return undefined;
  const askFor = createIssuer(block);
  let token: Token | undefined;
  let asking: Promise<Token> | undefined;

  async function ask(send: Send): Promise<Token> {
    try {
      token = await askFor(send);
      return token;
    } finally {
      asking = undefined;
    }
  }

  function askOnce(send: Send): Promise<Token> {
    asking ??= ask(send);
    return asking;
  }

  return {
    async apply({ headers }, send) {
      if (token !== undefined && token.expiresAt <= Date.now()) token = undefined;
      const { value } = token ?? (await askOnce(send));
      headers.set("authorization", `Bearer ${value}`);
    },
    renew({ headers }) {
      // Another request may have been refused the same one, and fetched a new one since.
      if (headers.get("authorization") === `Bearer ${token?.value}`) token = undefined;
      return true;
    },
  };
}

/**
 * Asks for a token. Issuers take a client's name and secret in a header, as the standard prefers, or in the form;
 * which of the two is found out once, at the first token.
 */
function createIssuer(block: ClientCredentialsBlock): (send: Send) => Promise<Token> {
  let manners: readonly Manner[] = ["header", "form"];
  return async (send) => {
    let refusal: RefusedError | undefined;
    for (const manner of manners) {
      try {
        const token = await exchange(tokenRequest(block, manner), send);
        manners = [manner];
        return token;
      } catch (error) {
        if (!(error instanceof RefusedError)) {
          throw toGatewayError(error, 502, "The OAuth 2 token could not be fetched");
        }
        refusal ??= error;
      }
    }
    throw refusal;
  };
}

type Manner = "header" | "form";

function tokenRequest(block: ClientCredentialsBlock, manner: Manner): OutgoingRequest {
  const { client_key = "", client_secret = "", token_url = "", scopes = [], endpoint_params = {} } = block;
  const url = URL.parse(token_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new GatewayError(500, "`oauth2.token_url` is no address of HTTP");
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
  if (manner === "header") {
    headers.set("authorization", basicValue(formEncode(client_key), formEncode(client_secret)));
  } else {
    form.set("client_id", client_key);
    form.set("client_secret", client_secret);
  }
  const body = Buffer.from(form.toString());
  // The body may hold the secret of the client, which is for this server alone.
  return { verb: "POST", url, headers, body, mayGoTo: ({ origin }) => origin === url.origin };
}

/** Section 2.3.1: both are encoded as a form before they go into the header. */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** An issuer that did not believe the client. */
class RefusedError extends GatewayError {}

async function exchange(request: OutgoingRequest, send: Send): Promise<Token> {
  const askedAt = Date.now();
  const reply = await send(request, AbortSignal.timeout(patience));
  const answer = await text(reply.body);
  if (reply.status < 200 || reply.status >= 300) {
    const message = `The OAuth 2 token was refused with status ${reply.status}`;
    throw reply.status === 400 || reply.status === 401
      ? new RefusedError(502, message)
      : new GatewayError(502, message);
  }
  return readToken(answer, askedAt);
}

/** Nothing of an answer that cannot be read is quoted: it may hold the token. */
function readToken(answer: string, askedAt: number): Token {
  const { access_token: value, expires_in: lifetime } = parseObject(answer);
  if (typeof value !== "string" || value === "" || /[^\x21-\x7e]/.test(value)) {
    throw new GatewayError(502, "The answer to the request for an OAuth 2 token holds none");
  }
  // Some issuers write the number as a text. Without one the token holds until it is refused.
  const seconds = lifetime === undefined || lifetime === null ? Number.NaN : Number(lifetime);
  const expiresAt =
    seconds > 0 ? askedAt + Math.max(seconds * 1000 - margin, seconds * 500) : Number.POSITIVE_INFINITY;
  return { value, expiresAt };
}

function parseObject(answer: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(answer);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {}; // what is no JSON holds no token
  }
}
