import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./json-schema.schema.json" with { type: "json" };

/** The processor `json_schema`. */
export const jsonSchemaProcessor: ProcessorDescriptor = defineProcessor({
  name: "json_schema",
  schema,
  runtime: { module: "runtime/processors/json-schema.ts", symbol: "judgeJson" },
  flow: { kind: "message", effect: { content: "same" } },
  mayFail: "the message may not fit the schema",
  rules: ["json-schema"],
});
