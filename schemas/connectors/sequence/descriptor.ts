import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `sequence`. */
export const sequenceInput: InputDescriptor = defineInput({
  name: "sequence",
  schema: input,
  runtime: { module: "runtime/connectors/sequence/input.ts", symbol: "sequenceInput" },
});
