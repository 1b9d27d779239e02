import { defineProcessor, oneOf, type ProcessorDescriptor } from "../component.ts";
import schema from "./sql.schema.json" with { type: "json" };

/** The processor `sql`. */
export const sqlProcessor: ProcessorDescriptor = defineProcessor({
  name: "sql",
  schema,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/older/older.ts", "postgresOlder"],
    ["sqlite", "runtime/connectors/sql/older/older.ts", "sqliteOlder"],
  ]),
  probe: { module: "runtime/connectors/sql/older/older.ts", symbol: "probeOlderSql" },
  flow: {
    kind: "message",
    effect: (options) => ({
      content: options.literal("result_codec") === "json_array" ? "unknown" : "same",
    }),
  },
  mayFail: "the database may refuse the statement",
});
