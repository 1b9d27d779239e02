import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `drop_on`. */
export const dropOnOutput: OutputDescriptor = defineOutput({
  name: "drop_on",
  schema: output,
  runtime: { module: "runtime/connectors/drop-on/drop-on.ts", symbol: "dropOnOutput" },
  flow: "drop-refused",
  variants: [
    {
      // Patterns need a library, which other bundles do not contain.
      when: (options) => options.has("error_patterns"),
      runtime: { module: "runtime/connectors/drop-on/patterns-output.ts", symbol: "dropOnPatternsOutput" },
    },
  ],
  rules: ["drop-conditions"],
});
