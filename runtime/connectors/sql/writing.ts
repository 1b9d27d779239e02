// Outputs that write each batch in one transaction.

import type { Output } from "../../component/component.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";
import { type Prepared, preparedOf } from "./statements.ts";

/** The parts of such an output. */
export interface WritingOptions {
  readonly address: SqlAddress;
  readonly maxInFlight: number;
  /** Returns the parameters of message `index`; throws a `MappingError`. */
  prepare(batch: Batch, index: number): readonly Value[];
  write(database: SqlDatabase, rows: readonly Prepared[]): Promise<void>;
}

/** Returns an output whose writes resolve once the database has committed them. */
export function writingOutput(
  { address, maxInFlight, prepare, write }: WritingOptions,
  open: OpenDatabase,
): Output {
  const connection = createSqlConnection(address, open);
  const inFlight = new Semaphore(maxInFlight);
  /** Orders the batches: they are committed in the order of their writes. */
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
      last = written.catch(() => undefined); // the failure is reported to the writer; the next write has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
      await connection.close();
    },
  };
}
