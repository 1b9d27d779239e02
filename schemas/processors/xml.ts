import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./xml.schema.json" with { type: "json" };

/** The processor `xml`. */
export const xmlProcessor: ProcessorDescriptor = defineProcessor({
  name: "xml",
  schema,
  runtime: { module: "runtime/processors/formats/xml.ts", symbol: "xml" },
  flow: { kind: "message", effect: { content: "object" } },
  mayFail: "the message may not be XML",
});
