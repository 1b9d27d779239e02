import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./switch.schema.json" with { type: "json" };

/** The processor `switch`. */
export const switchProcessor: ProcessorDescriptor = defineProcessor({
  name: "switch",
  schema,
  runtime: { module: "runtime/processors/switch.ts", symbol: "switchCases" },
  flow: { kind: "cases", field: "cases" },
  rules: ["switch-cases"],
});
