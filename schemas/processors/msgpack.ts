import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./msgpack.schema.json" with { type: "json" };

/** The processor `msgpack`. */
export const msgpackProcessor: ProcessorDescriptor = defineProcessor({
  name: "msgpack",
  schema,
  ...oneOf("operator", [
    ["to_json", "runtime/processors/formats/msgpack.ts", "msgpackToJson"],
    ["from_json", "runtime/processors/formats/msgpack.ts", "msgpackFromJson"],
  ]),
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("operator") === "from_json" ? "bytes" : "unknown" }),
  },
  mayFail: "the message may not be of the format",
});
