import { defineOutput, type OutputDescriptor, oneOf } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `sql`. */
export const sqlOutput: OutputDescriptor = defineOutput({
  name: "sql",
  schema: output,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/older/older.ts", "postgresOlderOutput"],
    ["sqlite", "runtime/connectors/sql/older/older.ts", "sqliteOlderOutput"],
  ]),
  probe: { module: "runtime/connectors/sql/older/older.ts", symbol: "probeOlderSql" },
});
