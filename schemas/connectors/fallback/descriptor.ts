import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `fallback`. */
export const fallbackOutput: OutputDescriptor = defineOutput({
  name: "fallback",
  schema: output,
  runtime: { module: "runtime/connectors/fallback/output.ts", symbol: "fallbackOutput" },
  flow: "first-accepting",
});
