// Signs requests with a shared secret, as OAuth 1.0a defines it (RFC 5849), with HMAC-SHA1.

import { createHmac, randomUUID } from "node:crypto";
import type { Credentials, OutgoingRequest } from "./request.ts";

/** The `oauth` block. */
export interface OauthBlock {
  readonly enabled?: boolean;
  readonly consumer_key?: string;
  readonly consumer_secret?: string;
  readonly access_token?: string;
  readonly access_token_secret?: string;
}

/** The values that make each signature different. */
export interface Moment {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Unique among the requests with the same timestamp. */
  readonly nonce: string;
}

type Parameter = readonly [name: string, value: string];

/** Returns the credentials of a block; `undefined` if it is disabled. */
export function oauthSignature(block: OauthBlock): Credentials | undefined {
  if (block.enabled !== true) return undefined;
  return {
    apply(request) {
      const moment = { timestamp: Math.floor(Date.now() / 1000), nonce: randomUUID().replaceAll("-", "") };
      request.headers.set("authorization", authorization(request, block, moment));
    },
  };
}

/** Returns the `Authorization` header of a request that is sent at `moment` (section 3.5.1). */
export function authorization(request: OutgoingRequest, block: OauthBlock, moment: Moment): string {
  const { consumer_key = "", consumer_secret = "", access_token = "", access_token_secret = "" } = block;
  const own: Parameter[] = [
    ["oauth_consumer_key", consumer_key],
    ["oauth_nonce", moment.nonce],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", String(moment.timestamp)],
    ...(access_token === "" ? [] : [["oauth_token", access_token] as const]),
  ];
  const key = `${encode(consumer_secret)}&${encode(access_token_secret)}`;
  const signature = createHmac("sha1", key).update(baseString(request, own)).digest("base64");
  const written = [...own, ["oauth_signature", signature] as const];
  return `OAuth ${written.map(([name, value]) => `${name}="${encode(value)}"`).join(", ")}`;
}

/** Returns the text to sign (section 3.4.1): method, address and all parameters of header, query and form. */
function baseString({ verb, url, headers, body }: OutgoingRequest, own: readonly Parameter[]): string {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  const form = isForm && body !== undefined ? new URLSearchParams(Buffer.from(body).toString()) : [];
  const parameters = [...own, ...url.searchParams, ...form]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return [verb, `${url.origin}${url.pathname}`, parameters].map(encode).join("&");
}

/** Compares escaped texts: they are ASCII, so that the order of code units is the order of bytes. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Escapes `text` (section 3.6), including characters that `encodeURIComponent` does not escape. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
