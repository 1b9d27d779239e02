import type { Input } from "../../../component/component.ts";
import type { OpenDatabase } from "../database.ts";
import { readingInput } from "../reading.ts";
import type { SqlRawInputOptions } from "./generated/input-options.ts";

/** Reads the rows of a query. */
export function sqlRawInput(options: SqlRawInputOptions, open: OpenDatabase): Input {
  return readingInput(options, open, () => options.query);
}
