// The processors `sql_raw`, `sql_select` and `sql_insert`.

import type { ComponentContext, Processor } from "../../component/component.ts";
import { UnfitMessages } from "../../component/unfit-messages.ts";
import { type GatewayError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import type { MappingFunction } from "../../processors/functions.ts";
import type { SqlInsertOptions } from "../../processors/generated/sql-insert-options.ts";
import type { SqlRawOptions } from "../../processors/generated/sql-raw-options.ts";
import type { SqlSelectOptions } from "../../processors/generated/sql-select-options.ts";
import { type ReplaceMessage, replaceEach } from "../../processors/replace-each.ts";
import { throwIfStopped } from "../../processors/stopping.ts";
import { parametersOf } from "./arguments.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";
import { insertRows, type Prepared, rowOf, selectText } from "./statements.ts";

/** Runs a statement for each message and replaces the message with its rows, unless `exec_only` is set. */
export function sqlRaw(options: SqlRawOptions, open: OpenDatabase): Processor {
  const keeps = options.exec_only === true;
  return queryStep(options, open, () => options.query, keeps);
}

/** Reads rows for each message and replaces the message with them. */
export function sqlSelect(options: SqlSelectOptions, open: OpenDatabase): Processor {
  return queryStep(options, open, (database) => selectText(options, database), false);
}

function queryStep(
  options: SqlAddress & { readonly args_mapping?: MappingFunction },
  open: OpenDatabase,
  statementFor: (database: SqlDatabase) => string,
  keeps: boolean,
): Processor {
  const { args_mapping } = options;
  const connection = createSqlConnection(options, open);

  const run: ReplaceMessage = async (message, context, batch, index) => {
    const args = args_mapping === undefined ? [] : parametersOf(args_mapping(batch, index));
    const database = await connection.open(context);
    const rows = await database.query(statementFor(database), args);
    return keeps ? message : message.withBytes(encodeJson(rows));
  };

  return {
    process: replaceEach(run, failureOf),
    close: () => connection.close(),
  };
}

/**
 * Inserts a row for each message of a batch in one transaction. Messages at fault are flagged, and the others are
 * inserted without them.
 */
export function sqlInsert(options: SqlInsertOptions, open: OpenDatabase): Processor {
  const { columns, args_mapping } = options;
  const connection = createSqlConnection(options, open);

  async function insert(
    rows: readonly Prepared[],
    failures: Map<Message, GatewayError>,
    context: ComponentContext,
  ) {
    try {
      await insertRows(await connection.open(context), options, rows);
    } catch (error) {
      throwIfStopped(context.signal);
      if (!(error instanceof UnfitMessages)) {
        for (const { message } of rows) failures.set(message, failureOf(error));
        return;
      }
      for (const [message, failure] of error.failures) failures.set(message, failure);
      const left = rows.filter(({ message }) => !error.failures.has(message));
      if (left.length < rows.length) await insert(left, failures, context);
    }
  }

  return {
    async process(batch, context) {
      const failures = new Map<Message, GatewayError>();
      const rows: Prepared[] = [];
      for (const [index, message] of batch.entries()) {
        try {
          rows.push({ message, args: rowOf(parametersOf(args_mapping(batch, index)), columns) });
        } catch (error) {
          failures.set(message, failureOf(error));
        }
      }
      await insert(rows, failures, context);
      return [
        batch.map((message) =>
          failures.has(message) ? message.withFailure(failures.get(message)) : message,
        ),
      ];
    },
    close: () => connection.close(),
  };
}

function failureOf(error: unknown): GatewayError {
  return toGatewayError(error, 500, "the statement could not be run");
}
