import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./grok.schema.json" with { type: "json" };

/** The processor `grok`. */
export const grokProcessor: ProcessorDescriptor = defineProcessor({
  name: "grok",
  schema,
  runtime: { module: "runtime/processors/grok/grok.ts", symbol: "grok" },
  inspect: { module: "runtime/processors/grok/inspect.ts", symbol: "inspectGrok" },
  flow: { kind: "message", effect: { content: "inspected" } },
  mayFail: "no expression may match the message",
});
