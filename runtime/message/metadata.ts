// Converts metadata for other protocols, and decides which metadata may leave the gateway.

import { memoised } from "../text/memo.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { printJson } from "./json.ts";
import type { Message } from "./message.ts";
import type { NameTest } from "./name-filter.ts";
import type { Value } from "./value.ts";

/** Prefixes of metadata about a broker's transport, which means nothing to another broker. */
const transportPrefixes = ["amqp_", "kafka_", "nats_", "mqtt_", "redis_"];

/** Returns a metadata value as text: strings and bytes unchanged, other values as JSON. */
export function metadataText(value: Value): string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array ? value : printJson(value);
}

/**
 * Returns the metadata that a message carries on as headers of a broker: all except metadata about a broker's
 * transport, the parameters of a request, headers that only a document may set (`isReservedHeader`), and names that begin
 * with an excluded prefix.
 */
export function travellingMetadata(
  { metadata, parameters }: Message,
  excludedPrefixes: readonly string[] = [],
): [string, string | Uint8Array][] {
  const travelling: [string, string | Uint8Array][] = [];
  for (const [name, value] of metadata) {
    if (!travels(name) || parameters?.has(name) === true) continue;
    if (excludedPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    travelling.push([name, metadataText(value)]);
  }
  return travelling;
}

/**
 * Whether `travellingMetadata` includes metadata of this name, unless it is a parameter. Cached, because clients and
 * brokers use the same few names again and again.
 */
export const travels: NameTest = /* @__PURE__ */ memoised(
  512,
  (name) => !isReservedHeader(name) && !transportPrefixes.some((prefix) => name.startsWith(prefix)),
);

/** Returns, as text, the metadata that may leave as headers and whose names pass the test. */
export function filterMetadata({ metadata, parameters }: Message, passes: NameTest): [string, string][] {
  const passed: [string, string][] = [];
  for (const [name, value] of metadata) {
    if (parameters?.has(name) === true || !passes(name) || isReservedHeader(name)) continue;
    const text = metadataText(value);
    passed.push([name, typeof text === "string" ? text : decodeUtf8(text)]);
  }
  return passed;
}

/** Returns the content type to send with a message. A content type that came as a parameter does not count. */
export function findContentType(message: Message): string | undefined {
  const usual = contentTypeAt(message, "Content-Type");
  if (usual !== undefined) return usual;
  for (const name of message.metadata.keys()) {
    if (name.length !== 12 || name.toLowerCase() !== "content-type") continue;
    const type = contentTypeAt(message, name);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** Returns `undefined` for a value that cannot be a header. */
function contentTypeAt({ metadata, parameters }: Message, name: string): string | undefined {
  const value = metadata.get(name);
  const isFit = typeof value === "string" && parameters?.has(name) !== true && /^[\x20-\x7e]+$/.test(value);
  return isFit ? value : undefined;
}

/** Returns the content type of a message, safe for a header; `application/octet-stream` if the message has none. */
export function contentTypeOf(message: Message | undefined): string {
  return (message && findContentType(message)) ?? "application/octet-stream";
}

/**
 * Headers that describe the content of a message to HTTP. Brokers carry them on. A request or a response sets its own,
 * and no pattern can set them.
 */
export const contentHeaders: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
]);

/**
 * Whether a document may set a header only by its name, so that no pattern lets it through. Case does not matter. These
 * are headers of a single connection (RFC 9110, section 7.6.1), credentials, headers that tell a browser what to do or
 * store, and headers that make a server read another method or path than the request has. Cached, like `travels`.
 */
const isReservedHeader: NameTest = /* @__PURE__ */ memoised(512, (name) => {
  const lower = name.toLowerCase();
  return reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
});

const reservedPrefixes = [
  "access-control-",
  "content-security-policy",
  "cross-origin-",
  "proxy-",
  "sec-websocket-",
];

const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // Headers of a connection, or of the framing of content on it.
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Credentials.
  "authentication-info",
  "authorization",
  "cookie",
  "cookie2",
  "set-cookie",
  "set-cookie2",
  "www-authenticate",
  // Instructions to a browser.
  "alt-svc",
  "clear-site-data",
  "location",
  "nel",
  "origin-agent-cluster",
  "permissions-policy",
  "public-key-pins",
  "referrer-policy",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "sourcemap",
  "strict-transport-security",
  "timing-allow-origin",
  "x-content-type-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-sourcemap",
  "x-xss-protection",
  // Override the method or the path.
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-method",
  "x-original-url",
  "x-rewrite-url",
]);
