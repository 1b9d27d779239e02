import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./group-by.schema.json" with { type: "json" };

/** The processor `group_by`. */
export const groupByProcessor: ProcessorDescriptor = defineProcessor({
  name: "group_by",
  schema,
  runtime: { module: "runtime/processors/group-by.ts", symbol: "groupBy" },
  flow: { kind: "cases", field: "groups" },
  onlyLogsFailures: true,
});
