// Header fields of HTTP/2 (RFC 9113, section 8.2) and those of HTTP/1.1, each as the other.

import {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from "node:http2";
import { memoised } from "../../text/memo.ts";

/**
 * Values by name. Any name can be one, since there is no prototype. Objects without a class have none as well, but V8 keeps
 * them as hash tables, which take four times as long.
 */
export class Fields {
  [name: string]: string | string[] | undefined;

  static {
    Reflect.deleteProperty(Fields.prototype, "constructor");
    Object.setPrototypeOf(Fields.prototype, null);
  }
}

/** Headers about the connection, which HTTP/2 forbids (RFC 9113, section 8.2.2). */
const ofConnection = /* @__PURE__ */ new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

type FieldValue = number | string | readonly string[];

/**
 * Returns the name of a field in lower case, or an empty text if it belongs to the connection. Throws if it is not a name.
 * Cached: responses have few names.
 */
const fieldName = /* @__PURE__ */ memoised(512, (name) => {
  const key = name.toLowerCase();
  if (ofConnection.has(key)) return "";
  validateHeaderName(key);
  return key;
});

/** Sets a header, unless it belongs to the connection. Throws if HTTP cannot carry it. */
export function put(headers: OutgoingHttpHeaders, name: string, value: FieldValue): void {
  const key = fieldName(name);
  if (key === "") return;
  const text = typeof value === "object" ? onOneLine(key, value) : value;
  validateHeaderValue(key, text as string);
  headers[key] = text;
}

/** Sets a header beside earlier ones of the name. */
export function append(headers: OutgoingHttpHeaders, name: string, value: string | readonly string[]): void {
  const present = headers[name.toLowerCase()];
  put(headers, name, present === undefined ? value : [present, value].flat().map(String));
}

/** Returns the headers of a flat list of names and values. */
export function joinPairs(flat: readonly string[]): OutgoingHttpHeaders {
  const joined: OutgoingHttpHeaders = new Fields();
  for (let index = 0; index + 1 < flat.length; index += 2)
    append(joined, flat[index] ?? "", flat[index + 1] ?? "");
  return joined;
}

/** Joins repeated fields, with the same meaning (RFC 9110, section 5.3): Node.js refuses repetition of some of them. */
function onOneLine(key: string, values: readonly string[]): string | string[] {
  return key === "set-cookie" ? [...values] : values.join(", ");
}

/**
 * Returns the fields of a head, joined and as sent, without pseudo-headers. Names come in lower case. Cookies may be split
 * over several fields (RFC 9113, section 8.2.3).
 */
export function readHead(
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
): Head {
  const head: Head = { fields: new Fields(), raw: [], size: 0 };
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.charCodeAt(0) !== colon) addField(head, name, rawHeaders[index + 1] ?? "");
  }
  const authority = headers[":authority"];
  const isSaid = authority?.toLowerCase() === headers.host?.toLowerCase();
  if (authority !== undefined && !isSaid) addField(head, "host", authority);
  const hasBody = !stream.endAfterHeaders;
  if (hasBody && headers["content-length"] === undefined) addField(head, "transfer-encoding", "chunked");
  return head;
}

const colon = 0x3a;

/** The head of a request. */
export interface Head {
  readonly fields: IncomingHttpHeaders;
  /** Names and values. */
  readonly raw: string[];
  /** Bytes. */
  size: number;
}

function addField(head: Head, name: string, value: string): void {
  const { fields, raw } = head;
  const present = fields[name];
  fields[name] = present === undefined ? value : `${present}${name === "cookie" ? "; " : ", "}${value}`;
  raw.push(name, value);
  head.size += name.length + value.length;
}
