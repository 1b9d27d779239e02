// The head of the upstream's answer as the client gets it.

import { type IncomingMessage, type ServerResponse, STATUS_CODES, validateHeaderValue } from "node:http";
import type { Call } from "../http/call.ts";
import type { RequestPath } from "../http/request-path.ts";
import { isPassedBack, namedIn } from "./fields.ts";
import type { ProxyTarget } from "./target.ts";

/** Why an answer cannot be passed on: its status is not an HTTP status (RFC 9110, section 15). */
export function statusFault({ statusCode: status = 0 }: IncomingMessage): Error | undefined {
  return status < 200 || status > 599 ? new Error(`the status ${status} is not an HTTP status`) : undefined;
}

/**
 * The fields of an answer that are not of its connection alone, flat as `rawHeaders`, with redirects turned back to the
 * gateway. Throws where one could not be written.
 */
export function answerFields(answer: IncomingMessage, call: Call, target: ProxyTarget): readonly string[] {
  const { rawHeaders } = answer;
  const named = namedIn(answer.headers.connection);
  // The API's policy says who may read the answer; what the upstream says of that would take its place.
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
 * The fields that the client gets of an answer, flat as `rawHeaders`. What the gateway has said before stays, `Vary` of both
 * counts. Throws where one could not be written.
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
    // Some servers say how long nothing is (RFC 9110, section 8.6, forbids it), and some clients wait for as much.
    if (key === "content-length" && answer.statusCode === 204) continue;
    if (key === "vary") varies.push(value);
    else if (response.getHeader(name) === undefined) head.push(name, value);
  }
  if (varies.length > 0) head.push("Vary", [...varies, response.getHeader("vary") ?? []].flat().join(", "));
  return head;
}

/**
 * Writes the head of an answer, to be sent with what follows it. `isEmpty`: nothing follows, so that Node is to say how long
 * that is where the upstream has not.
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
  // HTTP/2 has no words beside the status, and Node throws at some that it has read itself.
  if (isHttp1 && isOwnMessage) response.statusMessage = statusMessage;
}

/** Whether other parts of the gateway ask the open response for its fields, which Node keeps only where they are set one by one. */
function isLookedAt(answer: IncomingMessage): boolean {
  return isEventStream(answer) || answer.headers["x-accel-buffering"] !== undefined;
}

/** Such an answer may be silent between its events. */
export function isEventStream({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  return type !== undefined && /^text\/event-stream\b/i.test(type);
}

/** Whether fields can follow the body, which only a body in chunks lets them. */
export function takesTrailers(response: ServerResponse, answer: IncomingMessage): boolean {
  const isChunked = answer.headers["transfer-encoding"] !== undefined;
  const hasBody = response.req.method !== "HEAD" && answer.statusCode !== 204 && answer.statusCode !== 304;
  return isChunked && hasBody && !isOldClient(response);
}

/**
 * Whether the client knows neither chunks nor answers before the answer: HTTP/1.0, and any other version but 1.1 that a client
 * writes on a connection of HTTP/1.1. Node says so, and throws at what such a client cannot get.
 */
export function isOldClient(response: ServerResponse): boolean {
  return response.useChunkedEncodingByDefault === false;
}

/** What may stand in the first line of an answer (RFC 9112, section 4). */
const writableText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A link with parameters that Node lets an early hint say; its own check throws at others. */
const plainLink = /^<[^>]*>(?:\s*;\s*[^;"=\s]+(?:=(?:"[^;"\s]*"|[^;"\s]*))?)*$/;

/** The links of a field `Link` (RFC 8288, section 3) that may go into an early hint, which clients may ignore. */
export function hintsOf(link: string): readonly string[] {
  return splitLinks(link)
    .map((each) => each.trim())
    .filter((each) => plainLink.test(each));
}

/** What stands between commas, of which those inside `<…>` and `"…"` do not count; without what is not closed. */
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

/** An address at the upstream as the client would ask the gateway for it; any other stays as it is. */
function turnBack(location: string, call: Call, { url, keepsListenPath }: ProxyTarget): string {
  const base = url.href.replace(/\/$/, "");
  if (call.api === undefined || !location.startsWith(base)) return location;
  const after = location.slice(base.length);
  if (!/^(?:[/?#]|$)/.test(after)) return location;
  const { mount, listenPath, version } = call.api;
  const { origin } = call.url;
  const below = after.replace(/^\//, "");
  // What the upstream never saw stands in front of what it says: the listen path, the name of the version, or both.
  const mounted = asAsked(mount.path, call.path);
  const prefix = version?.isCutOff === true ? asAsked(listenPath, call.path) : mounted;
  if (!keepsListenPath) return `${origin}${prefix}${below}`;
  return after.startsWith(mounted)
    ? `${origin}${prefix}${after.slice(mounted.length)}`
    : `${origin}/${below}`;
}

/** A listen path as the client wrote it, with what its parameters took: `/acme/` for `/{tenant}/`. */
function asAsked(listenPath: string, { raw }: RequestPath): string {
  const depth = listenPath.split("/").length - 2;
  return `/${raw
    .slice(0, depth)
    .map((segment) => `${segment}/`)
    .join("")}`;
}
