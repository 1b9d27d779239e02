import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `reject_errored`. */
export const rejectErroredOutput: OutputDescriptor = defineOutput({
  name: "reject_errored",
  schema: output,
  runtime: { module: "runtime/connectors/reject-errored/output.ts", symbol: "rejectErroredOutput" },
  flow: "refuse-flagged",
});
