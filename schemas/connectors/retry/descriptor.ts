import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `retry`. */
export const retryOutput: OutputDescriptor = defineOutput({
  name: "retry",
  schema: output,
  runtime: { module: "runtime/connectors/retry/output.ts", symbol: "retryOutput" },
  flow: "repeat",
});
