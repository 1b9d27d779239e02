import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `stdin`. */
export const stdinInput: InputDescriptor = defineInput({
  name: "stdin",
  schema: input,
  runtime: { module: "runtime/connectors/stdin/input.ts", symbol: "stdinInput" },
  isSingle: true,
});
