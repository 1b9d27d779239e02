// The head of a request as the upstream gets it.

import type { Call } from "../http/call.ts";
import { isPassedOn, namedIn } from "./fields.ts";
import type { ProxyTarget } from "./target.ts";

/** How the body of a request comes: not at all, in a known number of bytes, or until it ends. */
export type BodyLength = "none" | "known" | "open";

/** What follows the head. `Content-Length` alone says so, as Node refuses requests that carry both fields. */
export function bodyLength({ request, body }: Call): BodyLength {
  if (body !== undefined) return body.length === 0 ? "none" : "known";
  const { "transfer-encoding": encoding, "content-length": length } = request.headers;
  if (encoding !== undefined) return "open";
  return length === undefined || Number(length) === 0 ? "none" : "known";
}

/** Whether the client holds the body back until it is asked for it. */
export function waitsForContinue({ request }: Call): boolean {
  return request.headers.expect?.toLowerCase() === "100-continue";
}

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/**
 * The fields of the client that are not of its connection alone, as the gateway itself has read them, so that both
 * see the same where a field came twice; then what the gateway says by itself. Flat, as `rawHeaders`.
 */
export function requestHead(call: Call, target: ProxyTarget): string[] {
  const { request } = call;
  const named = namedIn(request.headers.connection);
  const spelled = spellings(request.rawHeaders);
  const passed = Object.entries(request.headers).flatMap(([name, value]) => {
    if (value === undefined || !isPassedOn(name, named, target.allowedOverrides)) return [];
    // A body that was read was unpacked, too.
    if (name === "content-encoding" && call.body !== undefined) return [];
    const texts = typeof value === "string" ? [value] : value;
    return texts.flatMap((text) => [spelled.get(name) ?? name, text]);
  });
  const waits = bodyLength(call) !== "none" && call.body === undefined && waitsForContinue(call);
  const expectation = waits ? ["Expect", "100-continue"] : [];
  const host = target.keepsHost ? call.url.host : target.url.host;
  return ["Host", host, ...passed, ...framing(call), ...expectation, ...forwarded(call)];
}

/** How the gateway itself delimits the body, whatever way it came. */
function framing(call: Call): readonly string[] {
  switch (bodyLength(call)) {
    case "open":
      return ["Transfer-Encoding", "chunked"];
    case "known":
      return ["Content-Length", String(call.body?.length ?? Number(call.request.headers["content-length"]))];
    case "none":
      return bodiless.has(call.verb) ? [] : ["Content-Length", "0"];
  }
}

/** Whom the request came from, as the gateway saw it. */
function forwarded(call: Call): readonly string[] {
  return [
    ...["X-Forwarded-For", call.remoteAddress],
    ...["X-Forwarded-Host", call.url.host],
    ...["X-Forwarded-Proto", call.url.protocol.slice(0, -1)],
  ];
}

/** Names as the client wrote them, by their lower case: some servers are particular about it. */
function spellings(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), name] as const] : [])),
  );
}
