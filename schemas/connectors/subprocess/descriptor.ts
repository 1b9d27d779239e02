import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `subprocess`. */
export const subprocessInput: InputDescriptor = defineInput({
  name: "subprocess",
  schema: input,
  runtime: { module: "runtime/connectors/subprocess/input.ts", symbol: "subprocessInput" },
});

/** The output `subprocess`. */
export const subprocessOutput: OutputDescriptor = defineOutput({
  name: "subprocess",
  schema: output,
  runtime: { module: "runtime/connectors/subprocess/output.ts", symbol: "subprocessOutput" },
});
