// Who may ask: access tokens, each of one organisation.

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerValues } from "../http/request-fields.ts";
import { EnvironmentError } from "../process/environment.ts";

/** The holder of a token of the environment. */
export interface TokenHolder {
  readonly organisation: string;
  /** Which of the organisation's tokens it is, from 1. */
  readonly place: number;
}

/** Says whose an `authorization` header is. */
export interface Access {
  /** Who a request's token is of; `undefined` where it has none that is known. */
  holderOf(request: Pick<IncomingMessage, "rawHeaders">): TokenHolder | undefined;
  /** The organisation of a request's token; `undefined` where it has none that is known. */
  organisationOf(request: Pick<IncomingMessage, "rawHeaders">): string | undefined;
}

/**
 * Access by the tokens of a text such as `acme:TOKEN,TOKEN`; those without a name are of `organisation`. Of tokens only
 * hashes are kept. Throws an `EnvironmentError`, which names `variable`, where there is none, one is empty, or one is there twice.
 */
export function readAccess(text: string, organisation: string, variable: string): Access {
  const tokens = text
    .split(",")
    .filter((each) => each.trim() !== "")
    .map((each) => readToken(each.trim(), organisation));
  if (tokens.length === 0) throw new EnvironmentError([`${variable} names no token`]);
  if (tokens.some((each) => each === undefined)) {
    throw new EnvironmentError([`${variable} has an entry that is neither \`TOKEN\` nor \`ORG:TOKEN\``]);
  }
  const known = tokens.filter((each) => each !== undefined);
  if (new Set(known.map(({ digest }) => digest.toString("hex"))).size < known.length) {
    throw new EnvironmentError([`${variable} has a token twice`]);
  }
  const holderOf: Access["holderOf"] = (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const given = digestOf(token);
    // All of them are compared, whichever fits.
    const [found] = known.filter(({ digest }) => timingSafeEqual(digest, given));
    if (found === undefined) return undefined;
    const { organisation } = found;
    const own = known.filter((each) => each.organisation === organisation);
    return { organisation, place: own.indexOf(found) + 1 };
  };
  return { holderOf, organisationOf: (request) => holderOf(request)?.organisation };
}

/** The token of a request, bare or behind `Bearer `; `undefined` where there is none, or more than one. */
export function tokenOf(request: Pick<IncomingMessage, "rawHeaders">): string | undefined {
  const [header, ...others] = headerValues(request, "authorization");
  return header === undefined || others.length > 0 ? undefined : header.replace(/^bearer +/i, "");
}

/**
 * Whether a browser says that a page of another origin asks. Cookies of sessions are sent along by pages on another port of
 * the host (`SameSite`). Fetch Metadata is sent over TLS and to loopback only; over plain HTTP the `Origin` of a request that
 * may change something tells. `host` is that of the page, with its port.
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
}

function readToken(text: string, fallback: string): Token | undefined {
  const at = text.indexOf(":");
  const organisation = at < 0 ? fallback : text.slice(0, at).trim();
  const token = text.slice(at + 1).trim();
  return organisation === "" || token === "" ? undefined : { organisation, digest: digestOf(token) };
}

/** Of one length, so that they can be compared in constant time. */
function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
