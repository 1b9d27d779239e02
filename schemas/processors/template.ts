import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./template.schema.json" with { type: "json" };

/** The processor `template`. */
export const templateProcessor: ProcessorDescriptor = defineProcessor({
  name: "template",
  schema,
  runtime: { module: "runtime/processors/template/template.ts", symbol: "template" },
  inspect: { module: "runtime/processors/template/inspect.ts", symbol: "inspectTemplate" },
  flow: { kind: "message", effect: { content: "bytes" } },
  mayFail: "the template may fail on the message",
});
