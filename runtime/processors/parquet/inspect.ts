import { type Inspected, nothingFound, type WrittenOptions } from "../inspection.ts";
import { ParquetSchemaError, readColumns } from "./columns.ts";

/** Why the schema of a `parquet_encode` processor is none. */
export function inspectParquetEncode({ schema }: WrittenOptions): Inspected {
  if (!Array.isArray(schema) || schema.length === 0) return nothingFound;
  try {
    readColumns(schema);
    return nothingFound;
  } catch (error) {
    if (!(error instanceof ParquetSchemaError)) throw error;
    return { problems: [{ field: "schema", message: error.message }] };
  }
}
