import type { Input, Output } from "../../../component/component.ts";
import { openPostgres } from "../postgres.ts";
import type { SqlRawInputOptions } from "./generated/input-options.ts";
import type { SqlRawOutputOptions } from "./generated/output-options.ts";
import { sqlRawInput } from "./input.ts";
import { sqlRawOutput } from "./output.ts";

/** The input `sql_raw` with PostgreSQL. */
export function postgresRawInput(options: SqlRawInputOptions): Input {
  return sqlRawInput(options, openPostgres);
}

/** The output `sql_raw` with PostgreSQL. */
export function postgresRawOutput(options: SqlRawOutputOptions): Output {
  return sqlRawOutput(options, openPostgres);
}
