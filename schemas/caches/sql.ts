import { defineCache, oneOf, type ResourceDescriptor } from "../component.ts";
import schema from "./sql.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The cache `sql`. */
export const sqlCache: ResourceDescriptor = defineCache({
  name: "sql",
  schema,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/with-postgres.ts", "postgresCache"],
    ["sqlite", "runtime/connectors/sql/with-sqlite.ts", "sqliteCache"],
  ]),
  probe,
});
