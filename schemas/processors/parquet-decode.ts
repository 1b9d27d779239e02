import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./parquet-decode.schema.json" with { type: "json" };

/** The processor `parquet_decode`. */
export const parquetDecodeProcessor: ProcessorDescriptor = defineProcessor({
  name: "parquet_decode",
  schema,
  runtime: { module: "runtime/processors/parquet/decode.ts", symbol: "parquetDecode" },
  flow: { kind: "message", effect: { content: "object" } },
  mayFail: "the message may not be a Parquet file",
  changesCount: true,
});
