import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `reject`. */
export const rejectOutput: OutputDescriptor = defineOutput({
  name: "reject",
  schema: output,
  runtime: { module: "runtime/connectors/reject/output.ts", symbol: "rejectOutput" },
  flow: "refuse",
});
