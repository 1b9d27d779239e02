import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./jq.schema.json" with { type: "json" };

/** The processor `jq`. */
export const jqProcessor: ProcessorDescriptor = defineProcessor({
  name: "jq",
  schema,
  runtime: { module: "runtime/processors/jq/jq.ts", symbol: "jq" },
  inspect: { module: "runtime/processors/jq/jq.ts", symbol: "inspectJq" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the query may fail on the message",
  changesCount: true,
});
