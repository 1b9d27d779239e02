import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./archive.schema.json" with { type: "json" };

/** The processor `archive`. */
export const archiveProcessor: ProcessorDescriptor = defineProcessor({
  name: "archive",
  schema,
  ...oneOf("format", [
    ["binary", "runtime/processors/archives/binary.ts", "archiveBinary"],
    ["concatenate", "runtime/processors/archives/lines.ts", "archiveConcatenated"],
    ["json_array", "runtime/processors/archives/json.ts", "archiveJsonArray"],
    ["lines", "runtime/processors/archives/lines.ts", "archiveLines"],
    ["tar", "runtime/processors/archives/tar.ts", "archiveTar"],
    ["zip", "runtime/processors/archives/zip.ts", "archiveZip"],
  ]),
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("format") === "json_array" ? "list" : "bytes" }),
  },
  mayFail: "the messages may not fit the format",
  changesCount: true,
});
