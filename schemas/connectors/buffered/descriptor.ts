import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `buffered`. */
export const bufferedInput: InputDescriptor = defineInput({
  name: "buffered",
  schema: input,
  holdsBuffer: true,
  runtime: { module: "runtime/connectors/buffered/input.ts", symbol: "bufferedInput" },
});
