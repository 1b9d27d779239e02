import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `inproc`. */
export const inprocInput: InputDescriptor = defineInput({
  name: "inproc",
  schema: input,
  isChannel: true,
  runtime: { module: "runtime/connectors/inproc/input.ts", symbol: "inprocInput" },
});

/** The output `inproc`. */
export const inprocOutput: OutputDescriptor = defineOutput({
  name: "inproc",
  schema: output,
  isChannel: true,
  runtime: { module: "runtime/connectors/inproc/output.ts", symbol: "inprocOutput" },
});
