import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./catch.schema.json" with { type: "json" };

/** The processor `catch`. */
export const catchProcessor: ProcessorDescriptor = defineProcessor({
  name: "catch",
  schema,
  runtime: { module: "runtime/processors/nested.ts", symbol: "catchFlagged" },
  flow: { kind: "catch" },
});
