// Converts the head of the upstream's response for the client.

import { type IncomingMessage, type ServerResponse, STATUS_CODES, validateHeaderValue } from "node:http";
import type { Call } from "../http/call.ts";
import { codingFault, namedIn } from "../http/connection-fields.ts";
import type { RequestPath } from "../http/request-path.ts";
import { isPassedBack } from "./fields.ts";
import type { ProxyTarget } from "./target.ts";

/**
 * Returns an error if the response has a status that is not an HTTP status (RFC 9110, section 15), or a transfer coding
 * that Node.js does not decode.
 */
export function headFault({ statusCode: status = 0, headers }: IncomingMessage): Error | undefined {
  if (status < 200 || status > 599) return new Error(`the status ${status} is not an HTTP status`);
  return codingFault(headers["transfer-encoding"]);
}

/**
 * Returns the fields of a response except those about its connection, flat like `rawHeaders`; redirects are rewritten
 * to lead to the gateway. Throws if a field cannot be written.
 */
export function answerFields(answer: IncomingMessage, call: Call, target: ProxyTarget): readonly string[] {
  const { rawHeaders } = answer;
  const named = namedIn(answer.headers.connection);
  // The API's CORS policy decides who may read the response; the upstream's must not replace it.
  const hasPolicy = call.api?.api.cors !== undefined;
  const fields: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""];
    const key = name.toLowerCase();
    if (!isPassedBack(key, named) || (hasPolicy && key.startsWith("access-control-"))) continue;
    const text = key === "location" || key === "content-location" ? turnBack(value, call, target) : value;
    validateHeaderValue(name, text);
    fields.push(name, text);
  }
  return fields;
}

/**
 * Returns the fields of a response for the client, flat like `rawHeaders`. Fields that the gateway has set stay; both
 * values of `Vary` are joined. Throws if a field cannot be written.
 */
export function answerHead(
  response: ServerResponse,
  answer: IncomingMessage,
  call: Call,
  target: ProxyTarget,
): readonly string[] {
  const fields = answerFields(answer, call, target);
  const head: string[] = [];
  const varies: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [name, value] = [fields[index] ?? "", fields[index + 1] ?? ""];
    const key = name.toLowerCase();
    if (key === "trailer" && !takesTrailers(response, answer)) continue;
    // Some servers send a length with 204 (RFC 9110, section 8.6, forbids it), and some clients wait for as many bytes.
    if (key === "content-length" && answer.statusCode === 204) continue;
    if (key === "vary") varies.push(value);
    else if (response.getHeader(name) === undefined) head.push(name, value);
  }
  if (varies.length > 0) head.push("Vary", [...varies, response.getHeader("vary") ?? []].flat().join(", "));
  return head;
}

/**
 * Writes the head of a response, to be sent with what follows it. `isEmpty`: no body follows, so Node.js adds the
 * length if the upstream sent none.
 */
export function writeHead(
  response: ServerResponse,
  answer: IncomingMessage,
  head: readonly string[],
  isEmpty: boolean,
): void {
  const { statusCode = 502, statusMessage = "", headers } = answer;
  const isOwnMessage = statusMessage !== "" && writableText.test(statusMessage);
  const isHttp1 = response.req.httpVersionMajor === 1;
  if (isHttp1 && !(isEmpty && headers["content-length"] === undefined) && !isLookedAt(answer)) {
    const message = isOwnMessage ? statusMessage : (STATUS_CODES[statusCode] ?? "unknown");
    response.writeHead(statusCode, message, [...head]);
    return;
  }
  for (let index = 0; index < head.length; index += 2) {
    const [name, value] = [head[index] ?? "", head[index + 1] ?? ""];
    if (name === "Vary") response.setHeader(name, value);
    else response.appendHeader(name, value);
  }
  response.statusCode = statusCode;
  // HTTP/2 has no status message, and Node.js throws at some that its own parser accepts.
  if (isHttp1 && isOwnMessage) response.statusMessage = statusMessage;
}

/** Whether other parts of the gateway read the response's fields, which Node.js keeps only if set one by one. */
function isLookedAt(answer: IncomingMessage): boolean {
  return isEventStream(answer) || answer.headers["x-accel-buffering"] !== undefined;
}

/** Whether a response is an event stream, which may be silent between its events. */
export function isEventStream({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  return type !== undefined && /^text\/event-stream\b/i.test(type);
}

/** Whether trailers can follow the body, which only a chunked body allows. */
export function takesTrailers(response: ServerResponse, answer: IncomingMessage): boolean {
  const isChunked = answer.headers["transfer-encoding"] !== undefined;
  const hasBody = response.req.method !== "HEAD" && answer.statusCode !== 204 && answer.statusCode !== 304;
  return isChunked && hasBody && !isOldClient(response);
}

/**
 * Whether the client supports neither chunked bodies nor interim responses: HTTP/1.0, and any other version except
 * 1.1 that a client sends on an HTTP/1.1 connection. Node.js reports this, and throws if such a client would get
 * them.
 */
export function isOldClient(response: ServerResponse): boolean {
  return response.useChunkedEncodingByDefault === false;
}

/** The allowed characters of a status message (RFC 9112, section 4). */
const writableText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A link, with parameters, that Node.js accepts in early hints; it throws at others. */
const plainLink = /^<[^>]*>(?:\s*;\s*[^;"=\s]+(?:=(?:"[^;"\s]*"|[^;"\s]*))?)*$/;

/**
 * Returns the links of a `Link` field (RFC 8288, section 3) that are usable in early hints, which clients may ignore.
 */
export function hintsOf(link: string): readonly string[] {
  return splitLinks(link)
    .map((each) => each.trim())
    .filter((each) => plainLink.test(each));
}

/** Splits a field at commas outside of `<…>` and `"…"`; an unterminated last part is dropped. */
function splitLinks(field: string): readonly string[] {
  const links: string[] = [];
  let start = 0;
  for (let at = 0; at < field.length; at++) {
    const character = field.charAt(at);
    if (character === ",") {
      links.push(field.slice(start, at));
      start = at + 1;
    } else if (character === "<" || character === '"') {
      at = field.indexOf(character === "<" ? ">" : '"', at + 1);
      if (at === -1) return links;
    }
  }
  return [...links, field.slice(start)];
}

/** Converts an address at the upstream to the gateway's address for it; other addresses stay unchanged. */
function turnBack(location: string, call: Call, { url, keepsListenPath }: ProxyTarget): string {
  const base = url.href.replace(/\/$/, "");
  if (call.api === undefined || !location.startsWith(base)) return location;
  const after = location.slice(base.length);
  if (!/^(?:[/?#]|$)/.test(after)) return location;
  const { mount, listenPath, version } = call.api;
  const { origin } = call.url;
  const below = after.replace(/^\//, "");
  // Restores the parts that the upstream does not see: the listen path, the name of the version, or both.
  const mounted = asRequested(mount.path, call.path);
  const prefix = version?.isCutOff === true ? asRequested(listenPath, call.path) : mounted;
  if (!keepsListenPath) return `${origin}${prefix}${below}`;
  return after.startsWith(mounted)
    ? `${origin}${prefix}${after.slice(mounted.length)}`
    : `${origin}/${below}`;
}

/** Returns a listen path as the client wrote it, with the values of its parameters: `/acme/` for `/{tenant}/`. */
function asRequested(listenPath: string, { raw }: RequestPath): string {
  const depth = listenPath.split("/").length - 2;
  return `/${raw
    .slice(0, depth)
    .map((segment) => `${segment}/`)
    .join("")}`;
}
