// Metadata as other protocols carry it.

import { printJson } from "./json.ts";
import type { Metadata } from "./message.ts";
import type { NameTest } from "./name-filter.ts";
import { decodeUtf8 } from "./utf8.ts";
import type { Value } from "./value.ts";

/** Prefixes of metadata that say how a broker carried a message; they mean nothing to the next one. */
const transportPrefixes = ["amqp_", "kafka_", "nats_", "mqtt_"];

/** A metadata value as text: strings as they are, anything else as JSON. */
export function metadataText(value: Value): string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array ? value : printJson(value);
}

/** Metadata that travels on with a message: all but what a broker said about its own transport. */
export function travellingMetadata(metadata: Metadata): [string, string | Uint8Array][] {
  const travelling: [string, string | Uint8Array][] = [];
  for (const [name, value] of metadata) {
    if (!transportPrefixes.some((prefix) => name.startsWith(prefix))) {
      travelling.push([name, metadataText(value)]);
    }
  }
  return travelling;
}

/** The first metadata value whose name is `name` in any case. */
export function findMetadata(metadata: Metadata, name: string): string | undefined {
  const exact = metadata.get(name);
  if (typeof exact === "string") return exact;
  const wanted = name.toLowerCase();
  for (const [candidate, value] of metadata) {
    if (typeof value === "string" && candidate.toLowerCase() === wanted) return value;
  }
  return undefined;
}

/** The metadata whose names pass, as text. */
export function filterMetadata(metadata: Metadata, passes: NameTest): [string, string][] {
  const passed: [string, string][] = [];
  for (const [name, value] of metadata) {
    if (!passes(name)) continue;
    const text = metadataText(value);
    passed.push([name, typeof text === "string" ? text : decodeUtf8(text)]);
  }
  return passed;
}

/** The content type that travelled with a message, safe to be put in a header. */
export function contentTypeOf(metadata: Metadata): string {
  const type = findMetadata(metadata, "Content-Type");
  return type !== undefined && /^[\x20-\x7e]+$/.test(type) ? type : "application/octet-stream";
}
