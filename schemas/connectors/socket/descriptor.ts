import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

/** The input `socket`. */
export const socketInput: InputDescriptor = defineInput({
  name: "socket",
  schema: input,
  runtime: { module: "runtime/connectors/socket/input.ts", symbol: "socketInput" },
});

/** The output `socket`. */
export const socketOutput: OutputDescriptor = defineOutput({
  name: "socket",
  schema: output,
  runtime: { module: "runtime/connectors/socket/output.ts", symbol: "socketOutput" },
});
