import { filterMetadata } from "../../message/metadata.ts";
import { createNameFilter, type NameFilter } from "../../message/name-filter.ts";
import type { PassMetadata } from "./headers.ts";

/**
 * Headers by which a publisher has the server do something to the stream, such as purge it (`Nats-Rollup`). They are
 * for documents to write; the id by which the server drops duplicates may travel.
 */
function isOrder(name: string): boolean {
  const lower = name.toLowerCase();
  return (lower.startsWith("nats-") && lower !== "nats-msg-id") || lower.startsWith("kv-");
}

/** The metadata that a document's filter lets through. */
export function createPassMetadata(filter: NameFilter | undefined): PassMetadata {
  const passes = createNameFilter(filter);
  return (batch, index) => {
    const message = batch[index];
    return message === undefined ? [] : filterMetadata(message, (name) => passes(name) && !isOrder(name));
  };
}
