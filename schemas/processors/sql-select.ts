import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./sql-select.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The processor `sql_select`. */
export const sqlSelectProcessor: ProcessorDescriptor = defineProcessor({
  name: "sql_select",
  schema,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/with-postgres.ts", "postgresSelect"],
    ["sqlite", "runtime/connectors/sql/with-sqlite.ts", "sqliteSelect"],
  ]),
  probe,
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the database may refuse the query",
});
