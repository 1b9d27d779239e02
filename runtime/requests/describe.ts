// Builds the request for a message.

import { type Text, textLedBy, textOf } from "../component/text.ts";
import { isOverride } from "../http/incoming/overrides.ts";
import { isHeader } from "../http/request-fields.ts";
import type { Batch } from "../message/message.ts";
import { contentHeaders, contentTypeOf, filterMetadata } from "../message/metadata.ts";
import { printMultipart, type WrittenPart } from "../message/multipart.ts";
import { memoised } from "../text/memo.ts";
import { encodeUtf8, fieldValue } from "../text/utf8.ts";
import { credentialsOf } from "./basic-credentials.ts";
import { type OutgoingRequest, unmakeable } from "./request.ts";
import type { HttpRequestSettings, PartSettings } from "./settings.ts";

/** A body and its content type. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Present if the body has parts: any content type that is sent must contain this boundary. */
  readonly boundary?: string;
}

type Described = Pick<HttpRequestSettings, "url" | "allowed_hosts" | "verb" | "headers" | "metadata">;

/** The headers that belong to the connection, not to the message: metadata of a message never set them. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers that describe the framing of the body; only this file sets them. */
const framingHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

/**
 * Returns the request for message `index`, with the given body. Throws a `GatewayError` that says why it cannot be
 * built.
 */
export function describeRequest(
  settings: Described,
  batch: Batch,
  index: number,
  content: Content | undefined,
): OutgoingRequest {
  const { allowed_hosts: isAllowed } = settings;
  const isFixed = typeof settings.url === "string";
  const computed = (field: string, text: Text) =>
    textLedBy(`${field} interpolation error: `, text, batch, index);
  const { url, authorization } = isFixed
    ? readFixed(settings.url)
    : readAddress(computed("url", settings.url));
  if (isAllowed?.(url) === false) throw unmakeable("its server is not in `allowed_hosts`");
  const headers = new Map<string, string>();
  for (const [name, text] of Object.entries(settings.headers ?? {})) {
    if (!framingHeaders.has(name.toLowerCase())) addHeader(headers, name, computed(`header '${name}'`, text));
  }
  const message = batch[index];
  if (settings.metadata !== undefined && message !== undefined) {
    addMetadata(headers, filterMetadata(message, settings.metadata));
  }
  if (authorization !== undefined && !headers.has("authorization"))
    headers.set("authorization", authorization);
  if (content !== undefined) headers.set("content-type", typeOf(content, headers.get("content-type")));
  return { verb: settings.verb, url, headers, body: content?.bytes, mayGoTo: isAllowed };
}

/**
 * Returns a function that describes the request of an input, whose message is the previous reply. If nothing of it depends
 * on the message, it is described once.
 */
export function requestAfter(
  settings: Described & Pick<HttpRequestSettings, "payload">,
): (previous: Batch) => OutgoingRequest {
  const { url, headers = {}, metadata, payload } = settings;
  const isFixed =
    [url, ...Object.values(headers)].every((text) => typeof text === "string") &&
    metadata === undefined &&
    payload === undefined;
  let fixed: OutgoingRequest | undefined;
  return (previous) => {
    const request = fixed ?? describeRequest(settings, previous, 0, payloadContent(settings, previous, 0));
    if (isFixed) fixed = request;
    return request;
  };
}

/** Parses an HTTP address; returns it without user and password, and the header for them. */
function readAddress(text: string): ReturnType<typeof credentialsOf> {
  const parsed = URL.parse(text);
  if (parsed === null) throw unmakeable("its URL cannot be read");
  if (!/^https?:$/.test(parsed.protocol)) throw unmakeable("its URL is not one of HTTP");
  return credentialsOf(parsed);
}

/** Caches addresses that documents contain literally; a parsed address is never modified. */
const readFixed = /* @__PURE__ */ memoised(64, readAddress);

function addHeader(headers: Map<string, string>, name: string, text: string): void {
  const value = fieldValue(text);
  if (!isHeader(name, value))
    throw unmakeable(`its header \`${name}\` holds characters that headers cannot hold`);
  const key = name.toLowerCase();
  const present = headers.get(key);
  headers.set(key, present === undefined ? value : `${present}, ${value}`);
}

/** Adds metadata as headers; headers from the document take precedence. */
function addMetadata(headers: Map<string, string>, metadata: readonly (readonly [string, string])[]): void {
  const written = new Set(headers.keys());
  for (const [name, value] of metadata) {
    const key = name.toLowerCase();
    if (written.has(key) || contentHeaders.has(key) || isOverride(key)) continue;
    addHeader(headers, name, value);
  }
}

/** Returns the content type: the one from the document takes precedence, but the boundary is only known here. */
function typeOf({ type, boundary }: Content, written: string | undefined): string {
  if (boundary === undefined) return written ?? fieldValue(type);
  return `${written?.startsWith("multipart/") && !/;\s*boundary=/i.test(written) ? written : type}; boundary=${boundary}`;
}

/**
 * Returns the body of the request for message `index`, whatever its method: the parts if there are any, otherwise
 * `payload`, otherwise the message itself.
 */
export function messageContent(
  settings: Pick<HttpRequestSettings, "payload"> & { readonly multipart?: readonly PartSettings[] },
  batch: Batch,
  index: number,
): Content | undefined {
  const { multipart = [] } = settings;
  if (multipart.length > 0) return formContent(multipart, batch, index);
  const payload = payloadContent(settings, batch, index);
  if (payload !== undefined) return payload;
  const message = batch[index];
  return message && { bytes: message.bytes(), type: contentTypeOf(message) };
}

/** Returns the body that a document defines; `undefined` if it defines none. */
export function payloadContent(
  { payload }: Pick<HttpRequestSettings, "payload">,
  batch: Batch,
  index: number,
): Content | undefined {
  if (payload === undefined) return undefined;
  return {
    bytes: encodeUtf8(textOf(payload, batch, index)),
    type: contentTypeOf(batch[index]),
  };
}

/** Returns the whole batch as one body, with a part for each message. */
export function batchContent(settings: Pick<HttpRequestSettings, "payload">, batch: Batch): Content {
  const parts = batch.map((message, index): WrittenPart => {
    const bytes = payloadContent(settings, batch, index)?.bytes ?? message.bytes();
    return { headers: [["Content-Type", contentTypeOf(message)]], content: bytes };
  });
  return multipartContent("multipart/mixed", parts);
}

function formContent(parts: readonly PartSettings[], batch: Batch, index: number): Content {
  const written = parts.map(({ content_type = "", content_disposition = "", body = "" }): WrittenPart => {
    const headers = [
      ["Content-Type", textOf(content_type, batch, index)],
      ["Content-Disposition", textOf(content_disposition, batch, index)],
    ] as const;
    for (const [name, value] of headers) checkPartHeader(name, value);
    return {
      headers: headers.filter(([, value]) => value !== ""),
      content: encodeUtf8(textOf(body, batch, index)),
    };
  });
  return multipartContent("multipart/form-data", written);
}

/**
 * Throws if a value contains a line break, which would begin another header or the content, or a lone surrogate, which
 * UTF-8 cannot hold.
 */
function checkPartHeader(name: string, value: string): void {
  if (!value.isWellFormed()) throw unmakeable(`the ${name} of one of its parts holds half a character`);
  if (/[\r\n\0]/.test(value)) throw unmakeable(`the ${name} of one of its parts holds a line break`);
}

function multipartContent(type: string, parts: readonly WrittenPart[]): Content {
  const { body, boundary } = printMultipart(parts);
  return { bytes: body, type, boundary };
}
