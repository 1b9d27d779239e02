import type { Output } from "../../component/component.ts";
import type { NatsOutputOptions } from "./generated/output-options.ts";
import { natsOutput } from "./output.ts";
import { createPassMetadata } from "./passed-metadata.ts";

/** As `natsOutput`, with the metadata that `metadata` lets through as headers. */
export function filteredNatsOutput({ metadata, ...options }: NatsOutputOptions): Output {
  return natsOutput(options, createPassMetadata(metadata));
}
