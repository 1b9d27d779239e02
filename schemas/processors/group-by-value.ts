import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./group-by-value.schema.json" with { type: "json" };

/** The processor `group_by_value`. */
export const groupByValueProcessor: ProcessorDescriptor = defineProcessor({
  name: "group_by_value",
  schema,
  runtime: { module: "runtime/processors/group-by-value.ts", symbol: "groupByValue" },
  flow: { kind: "message", effect: { content: "same" } },
  rules: ["key-of-messages"],
});
