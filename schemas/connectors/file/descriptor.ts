import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `file`. */
export const fileInput: InputDescriptor = defineInput({
  name: "file",
  schema: input,
  runtime: { module: "runtime/connectors/file/input.ts", symbol: "fileInput" },
});

/** The output `file`. */
export const fileOutput: OutputDescriptor = defineOutput({
  name: "file",
  schema: output,
  runtime: { module: "runtime/connectors/file/output.ts", symbol: "fileOutput" },
});
