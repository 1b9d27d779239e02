// Inputs that read the rows of one query and end.

import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { Message } from "../../message/message.ts";
import type { MappingFunction } from "../../processors/functions.ts";
import { parametersOf } from "./arguments.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";

/** What such an input reads. */
export interface ReadingOptions extends SqlAddress {
  readonly args_mapping?: MappingFunction;
  readonly auto_replay_nacks?: boolean;
}

/** Delivers the rows of the statement, each once the one before it is delivered. */
export function readingInput(
  options: ReadingOptions,
  open: OpenDatabase,
  statementFor: (database: SqlDatabase) => string,
): Input {
  const connection = createSqlConnection(options, open);
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function read(database: SqlDatabase, context: InputContext): Promise<void> {
    const redelivery = createRedelivery(
      options.auto_replay_nacks === false ? { ...context, maxAttempts: 1 } : context,
    );
    const empty = Message.fromText("");
    const args = options.args_mapping === undefined ? [] : parametersOf(options.args_mapping([empty], 0));
    for await (const row of database.rows(statementFor(database), args)) {
      const delivered = await redelivery.deliver([Message.fromText("").withDocument(row)], closing.signal);
      if (delivered === undefined) return;
    }
    context.reportEnd?.();
  }

  return {
    async start(context) {
      const database = await connection.open(context);
      running = read(database, context).catch((error: unknown) => {
        context.log.error("the rows cannot be read", { error });
        context.beginOutage?.("the rows cannot be read");
      });
    },
    async close() {
      closing.abort();
      await running;
      await connection.close();
    },
  };
}
