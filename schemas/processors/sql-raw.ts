import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./sql-raw.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The processor `sql_raw`. */
export const sqlRawProcessor: ProcessorDescriptor = defineProcessor({
  name: "sql_raw",
  schema,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/with-postgres.ts", "postgresRaw"],
    ["sqlite", "runtime/connectors/sql/with-sqlite.ts", "sqliteRaw"],
  ]),
  probe,
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("exec_only") === true ? "same" : "unknown" }),
  },
  mayFail: "the database may refuse the statement",
});
