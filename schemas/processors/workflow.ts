import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./workflow.schema.json" with { type: "json" };

/** The processor `workflow`. */
export const workflowProcessor: ProcessorDescriptor = defineProcessor({
  name: "workflow",
  schema,
  runtime: { module: "runtime/processors/workflow.ts", symbol: "workflow" },
  flow: { kind: "workflow" },
  rules: ["branch-order"],
});
