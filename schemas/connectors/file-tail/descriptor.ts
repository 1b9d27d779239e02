import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `file_tail`. */
export const fileTailInput: InputDescriptor = defineInput({
  name: "file_tail",
  schema: input,
  runtime: { module: "runtime/connectors/file-tail/input.ts", symbol: "fileTailInput" },
});
