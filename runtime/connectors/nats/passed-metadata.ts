import { filterMetadata } from "../../metadata.ts";
import { createNameFilter, type NameFilter } from "../../name-filter.ts";
import type { PassMetadata } from "./headers.ts";

/** The metadata that a document's filter lets through. */
export function createPassMetadata(filter: NameFilter | undefined): PassMetadata {
  const passes = createNameFilter(filter);
  return (batch, index) => {
    const message = batch[index];
    return message === undefined ? [] : filterMetadata(message.metadata, passes);
  };
}
