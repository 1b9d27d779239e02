// Access tokens, each of which belongs to an organisation.

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerValues } from "../http/request-fields.ts";
import type { Environment } from "../process/environment.ts";

/** The holder of a token in the environment. */
export interface TokenHolder {
  readonly organisation: string;
  /** The position of the token among those of the organisation, from 1. */
  readonly place: number;
}

/** Identifies the holders of access tokens. */
export interface Access {
  /** Returns the holder of a request's token; `undefined` if there is no known token. */
  holderOf(request: Pick<IncomingMessage, "rawHeaders">): TokenHolder | undefined;
}

/**
 * Reads tokens from a variable such as `acme:TOKEN,TOKEN`; those without a name belong to `organisation`. Keeps only
 * their hashes. The environment reports a variable without a token, with an invalid one, or with one twice.
 */
export function readAccess(env: Environment, variable: string, organisation: string): Access {
  const tokens = env
    .text(variable)
    .split(",")
    .filter((each) => each.trim() !== "")
    .map((each) => readToken(each.trim(), organisation));
  if (tokens.length === 0) env.refuse(variable, "names no token");
  if (tokens.some((each) => each === undefined))
    env.refuse(variable, "has an entry that is neither `TOKEN` nor `ORG:TOKEN`");
  const known = tokens.filter((each) => each !== undefined);
  if (known.some(({ isSendable }) => !isSendable))
    env.refuse(variable, "has a token with other characters than ASCII without blanks");
  if (new Set(known.map(({ digest }) => digest.toString("hex"))).size < known.length)
    env.refuse(variable, "has a token twice");
  const holderOf: Access["holderOf"] = (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const given = digestOf(token);
    // Compare all of them, to take equally long in any case.
    const [found] = known.filter(({ digest }) => timingSafeEqual(digest, given));
    if (found === undefined) return undefined;
    const { organisation } = found;
    const own = known.filter((each) => each.organisation === organisation);
    return { organisation, place: own.indexOf(found) + 1 };
  };
  return { holderOf };
}

/** Returns the token of a request, with or without `Bearer `; `undefined` if there is none or more than one. */
export function tokenOf(request: Pick<IncomingMessage, "rawHeaders">): string | undefined {
  const [header, ...others] = headerValues(request, "authorization");
  return header === undefined || others.length > 0 ? undefined : header.replace(/^bearer +/i, "");
}

/**
 * Whether the browser reports that another origin sends the request. This is necessary because `SameSite` cookies are
 * also sent by pages on other ports of the host. Browsers send Fetch Metadata only over TLS and to loopback; over plain
 * HTTP, the `Origin` of requests that may change something is compared. `host` is that of the page, with its port.
 */
export function isOtherSite(
  { headers }: Pick<IncomingMessage, "headers">,
  host: string | undefined = headers.host,
): boolean {
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && URL.parse(origin)?.host !== URL.parse(`http://${host}`)?.host;
}

interface Token {
  readonly organisation: string;
  readonly digest: Buffer;
  /** Whether the `Authorization` header of a request can carry it. */
  readonly isSendable: boolean;
}

function readToken(text: string, fallback: string): Token | undefined {
  const at = text.indexOf(":");
  const organisation = at < 0 ? fallback : text.slice(0, at).trim();
  const token = text.slice(at + 1).trim();
  if (organisation === "" || token === "") return undefined;
  return { organisation, digest: digestOf(token), isSendable: /^[\x21-\x7e]+$/.test(token) };
}

/** Returns a digest. All digests have the same length, so they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
