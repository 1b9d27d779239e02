// Converts the head of a request for the upstream.

import type { Call } from "../http/call.ts";
import { namedIn } from "../http/connection-fields.ts";
import { headersWithId } from "../http/request-origin.ts";
import { isPassedOn } from "./fields.ts";
import type { ProxyTarget } from "./target.ts";

/** How the body of a request is sent: not at all, with a known length, or until it ends. */
export type BodyLength = "none" | "known" | "open";

/** Returns how the body is sent. Node.js refuses requests with both fields, so one of them decides. */
export function bodyLength({ request, body }: Call): BodyLength {
  if (body !== undefined) return body.bytes.length === 0 ? "none" : "known";
  const { "transfer-encoding": encoding, "content-length": length } = request.headers;
  if (encoding !== undefined) return "open";
  return length === undefined || Number(length) === 0 ? "none" : "known";
}

/** Whether the client waits for `100 Continue` before it sends the body. */
export function waitsForContinue({ request }: Call): boolean {
  return request.headers.expect?.toLowerCase() === "100-continue";
}

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/**
 * Returns the fields for the upstream, flat like `rawHeaders`: the client's fields except those of its connection,
 * with the values that the gateway itself has read, so that both see the same for repeated fields; then the gateway's
 * own fields.
 */
export function requestHead(call: Call, target: ProxyTarget): string[] {
  const { origin } = call;
  const schemeEnd = origin.indexOf(":");
  const authority = origin.slice(schemeEnd + 3);
  const head = ["Host", target.keepsHost ? authority : target.host];
  addPassed(head, call, target);
  addFraming(head, call);
  // The address of the client as the gateway determined it.
  head.push("X-Forwarded-For", call.remoteAddress);
  head.push("X-Forwarded-Host", authority, "X-Forwarded-Proto", origin.slice(0, schemeEnd));
  return head;
}

/** Adds the client's fields, in the original case of their names: some servers depend on it. */
function addPassed(head: string[], call: Call, { allowedOverrides }: ProxyTarget): void {
  const { request, body, credentialFields = [] } = call;
  const { headers, rawHeaders } = headersWithId(request);
  const named = namedIn(headers.connection);
  // Both list the fields in the same order, up to the first that was repeated or removed.
  let position = 0;
  let spelled: ReadonlyMap<string, string> | undefined;
  for (const name in headers) {
    let written = rawHeaders[position];
    if (spelled === undefined && written?.toLowerCase() === name) position += 2;
    else {
      spelled ??= spellings(rawHeaders);
      written = spelled.get(name);
    }
    const value = headers[name];
    if (value === undefined) continue;
    if (!isPassedOn(name, named, allowedOverrides, headers, credentialFields)) continue;
    // A body that was read was decompressed, too.
    if (name === "content-encoding" && body !== undefined) continue;
    if (typeof value === "string") head.push(written ?? name, value);
    else for (const text of value) head.push(written ?? name, text);
  }
}

function spellings(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), name] as const] : [])),
  );
}

/** Adds the framing of the body, which may differ from the client's, and `Expect` if the client waits. */
function addFraming(head: string[], call: Call): void {
  const length = bodyLength(call);
  if (length === "none") {
    if (!bodiless.has(call.verb)) head.push("Content-Length", "0");
    return;
  }
  if (length === "open") head.push("Transfer-Encoding", "chunked");
  else
    head.push(
      "Content-Length",
      String(call.body?.bytes.length ?? Number(call.request.headers["content-length"])),
    );
  if (call.body === undefined && waitsForContinue(call)) head.push("Expect", "100-continue");
}
