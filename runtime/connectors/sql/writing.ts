// Outputs that write a batch by one transaction.

import type { Output } from "../../component/component.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";
import { type Prepared, preparedOf } from "./statements.ts";

/** What such an output does with a batch. */
export interface WritingOptions {
  readonly address: SqlAddress;
  readonly maxInFlight: number;
  /** The parameters of message `index`; throws a `MappingError`. */
  prepare(batch: Batch, index: number): readonly Value[];
  write(database: SqlDatabase, rows: readonly Prepared[]): Promise<void>;
}

/** A write resolves once the database has committed it. */
export function writingOutput(
  { address, maxInFlight, prepare, write }: WritingOptions,
  open: OpenDatabase,
): Output {
  const connection = createSqlConnection(address, open);
  const inFlight = new Semaphore(maxInFlight);
  /** Batches are committed in the order of their writes. */
  let last: Promise<unknown> = Promise.resolve();
  let database: SqlDatabase | undefined;
  return {
    async start(context) {
      database = await connection.open(context);
    },
    async write(batch) {
      const opened = database;
      if (opened === undefined) throw new GatewayError(503, "The database is not connected");
      const args = prepareAll(batch, (_, index) => prepare(batch, index));
      const written = last.then(() => inFlight.use(() => write(opened, preparedOf(batch, args))));
      last = written.catch(() => undefined); // the writer gets the failure; the next write has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
      await connection.close();
    },
  };
}
