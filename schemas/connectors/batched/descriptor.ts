import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `batched`. */
export const batchedInput: InputDescriptor = defineInput({
  name: "batched",
  schema: input,
  runtime: { module: "runtime/connectors/batched/input.ts", symbol: "batchedInput" },
});
