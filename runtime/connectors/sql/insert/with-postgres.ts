import type { Output } from "../../../component/component.ts";
import { openPostgres } from "../postgres.ts";
import type { SqlInsertOutputOptions } from "./generated/output-options.ts";
import { sqlInsertOutput } from "./output.ts";

/** The output `sql_insert` with PostgreSQL. */
export function postgresInsertOutput(options: SqlInsertOutputOptions): Output {
  return sqlInsertOutput(options, openPostgres);
}
