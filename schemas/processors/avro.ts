import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./avro.schema.json" with { type: "json" };

/** The processor `avro`. */
export const avroProcessor: ProcessorDescriptor = defineProcessor({
  name: "avro",
  schema,
  ...oneOf("operator", [
    ["to_json", "runtime/processors/avro/avro.ts", "avroToJson"],
    ["from_json", "runtime/processors/avro/avro.ts", "avroFromJson"],
  ]),
  inspect: { module: "runtime/processors/avro/avro.ts", symbol: "inspectAvro" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("operator") === "from_json" ? "bytes" : "inspected" }),
  },
  mayFail: "the message may not be of the schema",
});
