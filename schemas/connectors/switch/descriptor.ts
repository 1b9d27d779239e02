import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `switch`. */
export const switchOutput: OutputDescriptor = defineOutput({
  name: "switch",
  schema: output,
  runtime: { module: "runtime/connectors/switch/output.ts", symbol: "switchOutput" },
  flow: "cases",
  rules: ["continued-case"],
});
