import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `drop`. */
export const dropOutput: OutputDescriptor = defineOutput({
  name: "drop",
  schema: output,
  runtime: { module: "runtime/connectors/drop/output.ts", symbol: "dropOutput" },
  flow: "discard",
});
