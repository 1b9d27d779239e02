import type { Input } from "../../../component/component.ts";
import { openPostgres } from "../postgres.ts";
import type { SqlSelectInputOptions } from "./generated/input-options.ts";
import { sqlSelectInput } from "./input.ts";

/** The input `sql_select` with PostgreSQL. */
export function postgresSelectInput(options: SqlSelectInputOptions): Input {
  return sqlSelectInput(options, openPostgres);
}
