// The processors and the cache with PostgreSQL, so that a gateway includes only the databases that its documents use.

import type { Processor } from "../../component/component.ts";
import type { Cache } from "../../component/resource.ts";
import type { SqlInsertOptions } from "../../processors/generated/sql-insert-options.ts";
import type { SqlRawOptions } from "../../processors/generated/sql-raw-options.ts";
import type { SqlSelectOptions } from "../../processors/generated/sql-select-options.ts";
import { sqlCache } from "./cache.ts";
import type { SqlCacheOptions } from "./generated/sql-cache-options.ts";
import { openPostgres } from "./postgres.ts";
import { sqlInsert, sqlRaw, sqlSelect } from "./steps.ts";

/** The processor `sql_raw` with PostgreSQL. */
export function postgresRaw(options: SqlRawOptions): Processor {
  return sqlRaw(options, openPostgres);
}

/** The processor `sql_select` with PostgreSQL. */
export function postgresSelect(options: SqlSelectOptions): Processor {
  return sqlSelect(options, openPostgres);
}

/** The processor `sql_insert` with PostgreSQL. */
export function postgresInsert(options: SqlInsertOptions): Processor {
  return sqlInsert(options, openPostgres);
}

/** The cache `sql` with PostgreSQL. */
export function postgresCache(options: SqlCacheOptions): Cache {
  return sqlCache(options, openPostgres);
}
