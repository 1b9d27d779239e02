import type { Output } from "../../../component/component.ts";
import { parametersOf } from "../arguments.ts";
import type { OpenDatabase } from "../database.ts";
import { runEach } from "../statements.ts";
import { writingOutput } from "../writing.ts";
import { type SqlRawOutputOptions, sqlRawOutputDefaults } from "./generated/output-options.ts";

/** Runs a statement for each message. */
export function sqlRawOutput(options: SqlRawOutputOptions, open: OpenDatabase): Output {
  const { query, args_mapping, max_in_flight } = { ...sqlRawOutputDefaults, ...options };
  return writingOutput(
    {
      address: options,
      maxInFlight: max_in_flight,
      prepare: (batch, index) => (args_mapping === undefined ? [] : parametersOf(args_mapping(batch, index))),
      write: (database, rows) => runEach(database, query, rows),
    },
    open,
  );
}
