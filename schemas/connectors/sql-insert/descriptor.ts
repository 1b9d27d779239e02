import { defineOutput, type OutputDescriptor, oneOf } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The output `sql_insert`. */
export const sqlInsertOutput: OutputDescriptor = defineOutput({
  name: "sql_insert",
  schema: output,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/insert/insert.ts", "postgresInsertOutput"],
    ["sqlite", "runtime/connectors/sql/insert/insert.ts", "sqliteInsertOutput"],
  ]),
  probe,
});
