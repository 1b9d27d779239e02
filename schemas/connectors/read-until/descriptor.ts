import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `read_until`. */
export const readUntilInput: InputDescriptor = defineInput({
  name: "read_until",
  schema: input,
  runtime: { module: "runtime/connectors/read-until/input.ts", symbol: "readUntilInput" },
});
