import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./mapping.schema.json" with { type: "json" };

/** The processor `mapping`. */
export const mappingProcessor: ProcessorDescriptor = defineProcessor({
  name: "mapping",
  aliases: ["bloblang"],
  schema,
  runtime: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  flow: { kind: "mapping" },
});
