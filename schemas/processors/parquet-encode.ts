import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./parquet-encode.schema.json" with { type: "json" };

/** The processor `parquet_encode`. */
export const parquetEncodeProcessor: ProcessorDescriptor = defineProcessor({
  name: "parquet_encode",
  schema,
  runtime: { module: "runtime/processors/parquet/encode.ts", symbol: "parquetEncode" },
  inspect: { module: "runtime/processors/parquet/encode.ts", symbol: "inspectParquetEncode" },
  flow: { kind: "message", effect: { content: "bytes" } },
  mayFail: "the messages may not be of the schema",
  changesCount: true,
});
