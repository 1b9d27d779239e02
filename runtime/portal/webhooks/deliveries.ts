// Stores events and their deliveries to subscriptions.

import type { StoreTransaction } from "../../store/store.ts";

/** The maximum number of rows per statement, because databases limit its parameters. */
const rowsAtOnce = 500;

/** A stored event. */
export interface StoredEvent {
  readonly id: string;
  readonly event: string;
  readonly date_created: string;
  readonly headers: string;
  readonly secret: string | null;
  readonly body: string;
}

/** Stores events. */
export async function insertEvents(
  connection: StoreTransaction,
  events: readonly StoredEvent[],
): Promise<void> {
  for (const rows of chunks(events)) await connection.insertInto("webhook_events").values(rows).execute();
}

/**
 * Appends deliveries in their order. Locks the row of positions until the transaction ends, so that of two transactions
 * the one that commits later has the higher positions, and no reader skips deliveries that are not visible yet.
 */
export async function insertDeliveries(
  connection: StoreTransaction,
  deliveries: readonly { readonly id: string; readonly subscription_id: string; readonly event_id: string }[],
): Promise<void> {
  const count = deliveries.length;
  if (count === 0) return;
  const { position: last } = await connection
    .insertInto("webhook_positions")
    .values({ name: "deliveries", position: count })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet(({ eb }) => ({ position: eb("webhook_positions.position", "+", count) })),
    )
    .returning("position")
    .executeTakeFirstOrThrow();
  const rows = deliveries.map((delivery, index) => ({ ...delivery, position: last - count + 1 + index }));
  for (const some of chunks(rows)) await connection.insertInto("webhook_deliveries").values(some).execute();
}

/** Splits rows into chunks that fit into one statement. */
export function* chunks<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) yield rows.slice(start, start + rowsAtOnce);
}
