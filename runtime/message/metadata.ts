// Metadata as other protocols carry it.

import { memoised } from "../text/memo.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { printJson } from "./json.ts";
import type { Message } from "./message.ts";
import type { NameTest } from "./name-filter.ts";
import type { Value } from "./value.ts";

/** Prefixes of metadata that say how a broker carried a message; they mean nothing to the next one. */
const transportPrefixes = ["amqp_", "kafka_", "nats_", "mqtt_", "redis_"];

/** A metadata value as text: strings as they are, anything else as JSON. */
export function metadataText(value: Value): string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array ? value : printJson(value);
}

/**
 * Metadata that travels on with a message as headers of a broker: all but what a broker said about its own transport,
 * the parameters of a request, and what only a document may set (`isReservedHeader`).
 */
export function travellingMetadata({ metadata, parameters }: Message): [string, string | Uint8Array][] {
  const travelling: [string, string | Uint8Array][] = [];
  for (const [name, value] of metadata) {
    if (travels(name) && parameters?.has(name) !== true) travelling.push([name, metadataText(value)]);
  }
  return travelling;
}

/** Clients and brokers send few names, again and again. */
const travels = /* @__PURE__ */ memoised(
  512,
  (name) => !isReservedHeader(name) && !transportPrefixes.some((prefix) => name.startsWith(prefix)),
);

/** The metadata that may leave as headers and whose names pass, as text. */
export function filterMetadata({ metadata, parameters }: Message, passes: NameTest): [string, string][] {
  const passed: [string, string][] = [];
  for (const [name, value] of metadata) {
    if (parameters?.has(name) === true || !passes(name) || isReservedHeader(name)) continue;
    const text = metadataText(value);
    passed.push([name, typeof text === "string" ? text : decodeUtf8(text)]);
  }
  return passed;
}

/** The content type that travels with a message: never one that came as a parameter. */
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

/** One that headers cannot hold is not one. */
function contentTypeAt({ metadata, parameters }: Message, name: string): string | undefined {
  const value = metadata.get(name);
  const isFit = typeof value === "string" && parameters?.has(name) !== true && /^[\x20-\x7e]+$/.test(value);
  return isFit ? value : undefined;
}

/** The content type of a message, safe to be put in a header; that of bytes where it has none. */
export function contentTypeOf(message: Message | undefined): string {
  return (message && findContentType(message)) ?? "application/octet-stream";
}

/**
 * Headers that describe the content of a message to HTTP. Brokers carry them along; a request or an answer has its own,
 * which no pattern sets.
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
 * Whether a header is one that a document may set by its name, and that no pattern lets through, in any case: headers
 * of a single connection (RFC 9110, section 7.6.1), credentials, headers by which a server tells a browser what to do or
 * to keep, and those by which a client has a server read another method or path than that of the request.
 */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
}

const reservedPrefixes = [
  "access-control-",
  "content-security-policy",
  "cross-origin-",
  "proxy-",
  "sec-websocket-",
];

const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // Of a connection, or of how content is framed on it.
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
  // Orders to a browser.
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
  // Another method or path.
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-method",
  "x-original-url",
  "x-rewrite-url",
]);
