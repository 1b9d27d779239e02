import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./jmespath.schema.json" with { type: "json" };

/** The processor `jmespath`. */
export const jmespathProcessor: ProcessorDescriptor = defineProcessor({
  name: "jmespath",
  schema,
  runtime: { module: "runtime/processors/jmespath/jmespath.ts", symbol: "jmespath" },
  inspect: { module: "runtime/processors/jmespath/jmespath.ts", symbol: "inspectJmespath" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the expression may fail on the message",
});
