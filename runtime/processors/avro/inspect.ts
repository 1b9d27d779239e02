import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { readAvroSchema } from "./schema.ts";

/** Why the schema of an `avro` processor is none, and what documents it makes of messages. */
export function inspectAvro(options: WrittenOptions): Inspected {
  const hint = "Write an Avro schema as JSON that defines all types it names.";
  const inspected = inspectText(options, "schema", (text) => readAvroSchema(text).type.schema(), hint);
  return options.operator === "to_json" ? inspected : { problems: inspected.problems };
}
