import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./mutation.schema.json" with { type: "json" };

/** The processor `mutation`. */
export const mutationProcessor: ProcessorDescriptor = defineProcessor({
  name: "mutation",
  schema,
  runtime: { module: "runtime/processors/mapping.ts", symbol: "mutation" },
  flow: { kind: "mapping" },
});
