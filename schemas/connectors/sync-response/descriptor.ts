import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `sync_response`. */
export const syncResponseOutput: OutputDescriptor = defineOutput({
  name: "sync_response",
  answersRequests: true,
  schema: output,
  runtime: { module: "runtime/connectors/sync-response/output.ts", symbol: "syncResponseOutput" },
});
