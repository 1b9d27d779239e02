import type { Output } from "../../../component/component.ts";
import { createPassMetadata } from "../passed-metadata.ts";
import type { NatsJetstreamOutputOptions } from "./generated/output-options.ts";
import { natsJetstreamOutput } from "./output.ts";

/** As `natsJetstreamOutput`, with the metadata that `metadata` lets through as headers. */
export function filteredNatsJetstreamOutput({ metadata, ...options }: NatsJetstreamOutputOptions): Output {
  return natsJetstreamOutput(options, createPassMetadata(metadata));
}
