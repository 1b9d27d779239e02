import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./sql-insert.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The processor `sql_insert`. */
export const sqlInsertProcessor: ProcessorDescriptor = defineProcessor({
  name: "sql_insert",
  schema,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/with-postgres.ts", "postgresInsert"],
    ["sqlite", "runtime/connectors/sql/with-sqlite.ts", "sqliteInsert"],
  ]),
  probe,
  flow: { kind: "message", effect: { content: "same" } },
  mayFail: "the database may refuse the row",
});
