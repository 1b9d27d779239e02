import { defineInput, type InputDescriptor } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `parquet`. */
export const parquetInput: InputDescriptor = defineInput({
  name: "parquet",
  schema: input,
  runtime: { module: "runtime/connectors/parquet/input.ts", symbol: "parquetInput" },
});
