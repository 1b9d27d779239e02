import {
  defineProcessor,
  type KnownOptions,
  type MessageEffect,
  oneOf,
  type ProcessorDescriptor,
} from "../component.ts";
import schema from "./unarchive.schema.json" with { type: "json" };

/** The processor `unarchive`. */
export const unarchiveProcessor: ProcessorDescriptor = defineProcessor({
  name: "unarchive",
  schema,
  ...oneOf("format", [
    ["binary", "runtime/processors/archives/binary.ts", "unarchiveBinary"],
    ["csv", "runtime/processors/archives/csv.ts", "unarchiveCsv"],
    ["json_array", "runtime/processors/archives/json.ts", "unarchiveJsonArray"],
    ["json_documents", "runtime/processors/archives/json.ts", "unarchiveJsonDocuments"],
    ["json_map", "runtime/processors/archives/json.ts", "unarchiveJsonMap"],
    ["lines", "runtime/processors/archives/lines.ts", "unarchiveLines"],
    ["tar", "runtime/processors/archives/tar.ts", "unarchiveTar"],
    ["zip", "runtime/processors/archives/zip.ts", "unarchiveZip"],
  ]),
  flow: { kind: "message", effect: unpacked },
  mayFail: "the message may not be of the format",
  changesCount: true,
});

/** Returns the effect for one of the messages that it extracts from a message. */
function unpacked(options: KnownOptions): MessageEffect {
  const format = options.literal("format");
  switch (format) {
    case "tar":
    case "zip":
      return { content: "bytes", metadata: ["archive_filename"] };
    case "json_map":
      return { content: "unknown", metadata: ["archive_key"] };
    case "json_array":
      return { content: "elements" };
    case "binary":
    case "lines":
      return { content: "bytes" };
    default:
      return { content: typeof format === "string" && format.startsWith("csv") ? "object" : "unknown" };
  }
}
