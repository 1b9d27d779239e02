import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./branch.schema.json" with { type: "json" };

/** The processor `branch`. */
export const branchProcessor: ProcessorDescriptor = defineProcessor({
  name: "branch",
  schema,
  runtime: { module: "runtime/processors/branch.ts", symbol: "branch" },
  flow: { kind: "branch" },
});
