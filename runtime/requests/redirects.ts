// Answers that send the request somewhere else (RFC 9110, section 15.4).

import { GatewayError } from "../errors.ts";
import { secretNames } from "./dump.ts";
import type { IncomingReply, OutgoingRequest } from "./request.ts";

/** As many as the reference engine follows. */
const mostRedirects = 10;

/** Headers that are meant for the server they were sent to, and for no other, whatever a document calls its keys. */
function isPersonal(name: string): boolean {
  return name === "host" || secretNames.test(name);
}

/** Sends a request and follows where the answers point; gives the first that points nowhere. */
export async function follow(
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<IncomingReply>,
): Promise<IncomingReply> {
  let at = request;
  for (let hops = 0; ; hops += 1) {
    const reply = await send(at);
    const next = redirect(at, reply);
    if (next === undefined) return reply;
    reply.body.resume();
    if (hops === mostRedirects) throw new GatewayError(502, "The HTTP request was redirected too often");
    at = next;
  }
}

/** The request to make instead; `undefined` where the answer is one. */
function redirect(request: OutgoingRequest, { status, headers }: IncomingReply): OutgoingRequest | undefined {
  const target = headers.location === undefined ? null : URL.parse(headers.location, request.url.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  const isSameRequest = status === 307 || status === 308;
  if (!isSameRequest && ![301, 302, 303].includes(status)) return undefined;
  if (request.mayGoTo?.(target) === false) {
    const message = "The HTTP request was redirected to a server that it must not go to";
    throw new GatewayError(502, message, { retryable: false });
  }
  const kept = new Map(request.headers);
  if (target.origin !== request.url.origin) {
    for (const name of [...kept.keys()]) if (isPersonal(name)) kept.delete(name);
  }
  if (isSameRequest) return { ...request, url: target, headers: kept };
  // Clients have always made a GET of these, and the standard has given in for all but HEAD.
  for (const name of [...kept.keys()]) if (/^(content-|expect$)/.test(name)) kept.delete(name);
  const verb = request.verb === "HEAD" ? "HEAD" : "GET";
  return { ...request, verb, url: target, headers: kept, body: undefined };
}
