// The processors and the cache with SQLite, so that a gateway includes only the databases that its documents use.

import type { Processor } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import type { SqlInsertOptions } from "../../processors/generated/sql-insert-options.ts";
import type { SqlRawOptions } from "../../processors/generated/sql-raw-options.ts";
import type { SqlSelectOptions } from "../../processors/generated/sql-select-options.ts";
import { sqlCache } from "./cache.ts";
import type { SqlCacheOptions } from "./generated/sql-cache-options.ts";
import { openSqlite } from "./sqlite.ts";
import { sqlInsert, sqlRaw, sqlSelect } from "./steps.ts";

/** The processor `sql_raw` with SQLite. */
export function sqliteRaw(options: SqlRawOptions): Processor {
  return sqlRaw(options, openSqlite);
}

/** The processor `sql_select` with SQLite. */
export function sqliteSelect(options: SqlSelectOptions): Processor {
  return sqlSelect(options, openSqlite);
}

/** The processor `sql_insert` with SQLite. */
export function sqliteInsert(options: SqlInsertOptions): Processor {
  return sqlInsert(options, openSqlite);
}

/** The cache `sql` with SQLite. */
export function sqliteCache(options: SqlCacheOptions): Cache {
  return sqlCache(options, openSqlite);
}
