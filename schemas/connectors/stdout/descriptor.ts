import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `stdout`. */
export const stdoutOutput: OutputDescriptor = defineOutput({
  name: "stdout",
  schema: output,
  runtime: { module: "runtime/connectors/stdout/output.ts", symbol: "stdoutOutput" },
});
