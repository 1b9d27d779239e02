import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `fsevent`. */
export const fsEventInput: InputDescriptor = defineInput({
  name: "fsevent",
  schema: input,
  runtime: { module: "runtime/connectors/fsevent/input.ts", symbol: "fsEventInput" },
});
