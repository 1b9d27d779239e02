// Inputs that read the rows of one query and then end.

import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { Message } from "../../message/message.ts";
import type { MappingFunction } from "../../processors/functions.ts";
import { parametersOf } from "./arguments.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";

/** The options of such an input. */
export interface ReadingOptions extends SqlAddress {
  readonly args_mapping?: MappingFunction;
  readonly auto_replay_nacks?: boolean;
}

const retryPauses = { first: 200, longest: 30_000 };

/**
 * Delivers the rows of the statement, each once the previous one is delivered. If the database fails in between, the
 * statement is run again from the start: nothing identifies the rows that were already delivered.
 */
export function readingInput(
  options: ReadingOptions,
  open: OpenDatabase,
  statementFor: (database: SqlDatabase) => string,
): Input {
  const connection = createSqlConnection(options, open);
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function run(database: SqlDatabase, context: InputContext): Promise<void> {
    const backoff = createBackoff(retryPauses);
    let endOutage: EndCondition | undefined;
    const onRow = () => {
      endOutage?.();
      endOutage = undefined;
    };
    while (!closing.signal.aborted) {
      try {
        return await read(database, context, onRow);
      } catch (error) {
        context.log.warn("the rows cannot be read, running the statement again", { error });
        endOutage ??= context.beginOutage?.("the rows cannot be read");
      }
      await pause(backoff.next(), closing.signal);
    }
  }

  async function read(database: SqlDatabase, context: InputContext, onRow: () => void): Promise<void> {
    const redelivery = createRedelivery(withReplay(context, options.auto_replay_nacks !== false));
    const empty = Message.fromText("");
    const args = options.args_mapping === undefined ? [] : parametersOf(options.args_mapping([empty], 0));
    for await (const row of database.rows(statementFor(database), args)) {
      onRow();
      const delivered = await redelivery.deliverNext(
        [Message.fromText("").withDocument(row)],
        closing.signal,
      );
      if (delivered === undefined) return;
    }
    onRow();
    await redelivery.settled();
    context.reportEnd?.();
  }

  return {
    async start(context) {
      const database = await connection.open(context);
      running = run(database, context);
    },
    async close() {
      abort(closing);
      await running;
      await connection.close();
    },
  };
}
