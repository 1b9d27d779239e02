import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `csv`. */
export const csvInput: InputDescriptor = defineInput({
  name: "csv",
  schema: input,
  runtime: { module: "runtime/connectors/csv/input.ts", symbol: "csvInput" },
});
