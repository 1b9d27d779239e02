import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./protobuf.schema.json" with { type: "json" };

/** The processor `protobuf`. */
export const protobufProcessor: ProcessorDescriptor = defineProcessor({
  name: "protobuf",
  schema,
  ...oneOf("operator", [
    ["to_json", "runtime/processors/protobuf/protobuf.ts", "protobufToJson"],
    ["from_json", "runtime/processors/protobuf/protobuf.ts", "protobufFromJson"],
  ]),
  inspect: { module: "runtime/processors/protobuf/protobuf.ts", symbol: "inspectProtobuf" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("operator") === "from_json" ? "bytes" : "inspected" }),
  },
  mayFail: "the message may not be of the schema",
});
