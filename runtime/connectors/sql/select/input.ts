import type { Input } from "../../../component/component.ts";
import type { OpenDatabase } from "../database.ts";
import { readingInput } from "../reading.ts";
import { selectText } from "../statements.ts";
import type { SqlSelectInputOptions } from "./generated/input-options.ts";

/** Reads the rows of a table. */
export function sqlSelectInput(options: SqlSelectInputOptions, open: OpenDatabase): Input {
  return readingInput(options, open, (database) => selectText(options, database));
}
