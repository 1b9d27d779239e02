import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `cache`. */
export const cacheOutput: OutputDescriptor = defineOutput({
  name: "cache",
  schema: output,
  runtime: { module: "runtime/connectors/cache/output.ts", symbol: "cacheOutput" },
});
