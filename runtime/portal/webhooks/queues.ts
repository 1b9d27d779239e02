// The queues of subscriptions. A sender takes the lease of a queue and sends its deliveries one after another.

import type { Store, StoreConnection } from "../../store/store.ts";
import type { QueueLease } from "../leased-queues.ts";
import { type DeadDelivery, insertDead } from "./dead-deliveries.ts";
import type { StoredEvent } from "./deliveries.ts";
import { disableWebhook, type RecentAttempt, readAttempts } from "./webhooks.ts";

/** The first delivery of a queue and its target. */
export interface NextDelivery {
  readonly position: number;
  readonly id: string;
  readonly organisation: string;
  readonly event: StoredEvent;
  /** The current record of the subscription. */
  readonly record: string;
  readonly attempts: number;
  readonly failures: number;
  /** The last attempts of the queue, as stored. */
  readonly recent: string | null;
}

/**
 * Takes leases on queues that have something to send now and no sender, at most `most`, the longest waiting first. Of
 * several senders that want the same queue, one gets it.
 */
export async function takeQueues(store: Store, lease: QueueLease, most: number): Promise<readonly string[]> {
  const found = await store.read((connection) =>
    connection
      .selectFrom("webhook_queues as queue")
      .select("queue.subscription_id as id")
      .where("paused", "=", 0)
      .where("due", "<=", lease.now)
      .where("lease_until", "<=", lease.now)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("webhook_deliveries as delivery")
            .select("delivery.position")
            .whereRef("delivery.subscription_id", "=", "queue.subscription_id"),
        ),
      )
      .orderBy("due")
      .limit(most)
      .execute(),
  );
  const taken: string[] = [];
  for (const { id } of found) {
    const { numUpdatedRows } = await store.read((connection) =>
      connection
        .updateTable("webhook_queues")
        .set({ lease_holder: lease.holder, lease_until: lease.until })
        .where("subscription_id", "=", id)
        .where("lease_until", "<=", lease.now)
        .executeTakeFirst(),
    );
    if (numUpdatedRows > 0n) taken.push(id);
  }
  return taken;
}

/** The number of attempts kept per queue. */
const mostRecent = 20;

/** The last attempts of a queue during its lease. They are stored when the lease is renewed or released. */
export class AttemptLog {
  #attempts: readonly RecentAttempt[] | undefined;

  /** Adds an attempt at a delivery. */
  add({ recent }: NextDelivery, attempt: RecentAttempt): void {
    this.#attempts = [attempt, ...(this.#attempts ?? readAttempts(recent))].slice(0, mostRecent);
  }

  /** Returns the column to update; empty if there was no attempt. */
  changed(): { readonly recent?: string } {
    return this.#attempts === undefined ? {} : { recent: JSON.stringify(this.#attempts) };
  }
}

/** Extends a lease. Returns `false` if it has ended, another sender holds it, or the queue no longer exists. */
export async function renewLease(
  store: Store,
  subscription: string,
  lease: QueueLease,
  attempts: AttemptLog,
): Promise<boolean> {
  const { numUpdatedRows } = await store.read((connection) =>
    connection
      .updateTable("webhook_queues")
      .set({ lease_until: lease.until, ...attempts.changed() })
      .where("subscription_id", "=", subscription)
      .where("lease_holder", "=", lease.holder)
      .where("lease_until", ">", lease.now)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** Releases a lease. Queues that have waited longer come first afterwards. */
export async function releaseQueue(
  store: Store,
  subscription: string,
  lease: QueueLease,
  attempts: AttemptLog,
): Promise<void> {
  await store.read((connection) =>
    connection
      .updateTable("webhook_queues")
      .set(({ eb, ref }) => ({
        lease_holder: null,
        lease_until: 0,
        ...attempts.changed(),
        due: eb.case().when("due", "<", lease.now).then(lease.now).else(ref("due")).end(),
      }))
      .where("subscription_id", "=", subscription)
      .where("lease_holder", "=", lease.holder)
      .execute(),
  );
}

/** Returns the first delivery of a queue; `undefined` if there is none or the queue is paused. */
export async function findNext(store: Store, subscription: string): Promise<NextDelivery | undefined> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("webhook_deliveries as delivery")
      .innerJoin("webhook_events as event", "event.id", "delivery.event_id")
      .innerJoin("webhook_subscriptions as subscription", "subscription.id", "delivery.subscription_id")
      .innerJoin("webhook_queues as queue", "queue.subscription_id", "delivery.subscription_id")
      .select([
        "delivery.position",
        "delivery.id",
        "delivery.event_id",
        "event.event",
        "event.date_created",
        "event.headers",
        "event.secret",
        "event.body",
        "subscription.org_id as organisation",
        "subscription.record",
        "queue.attempts",
        "queue.failures",
        "queue.recent",
      ])
      .where("delivery.subscription_id", "=", subscription)
      .where("queue.paused", "=", 0)
      .orderBy("delivery.position")
      .limit(1)
      .executeTakeFirst(),
  );
  if (row === undefined) return undefined;
  const { position, id, event_id, event, date_created, headers, secret, body, ...more } = row;
  return { position, id, event: { id: event_id, event, date_created, headers, secret, body }, ...more };
}

/**
 * Removes a received delivery from its queue and resets the failures of the queue. Its event stays until
 * `deleteUnwanted`, because two changes in one transaction would take four times as long.
 */
export async function markReceived(
  store: Store,
  subscription: string,
  { position, attempts, failures }: NextDelivery,
): Promise<void> {
  await store.read((connection) =>
    connection.deleteFrom("webhook_deliveries").where("position", "=", position).execute(),
  );
  if (attempts === 0 && failures === 0) return;
  await store.read((connection) =>
    connection
      .updateTable("webhook_queues")
      .set({ attempts: 0, failures: 0, last_failure: null, due: 0 })
      .where("subscription_id", "=", subscription)
      .execute(),
  );
}

/** The consequences of a failed attempt. */
export interface DeliveryFailure {
  readonly reason: string;
  /** The earliest time of the next attempt. */
  readonly due: number;
  /** Whether the delivery is not retried, but becomes a dead one. */
  readonly isLast: boolean;
  /** Whether the receiver responded with 410: the subscription is disabled, and the delivery stays. */
  readonly isGone: boolean;
  /** The maximum number of dead deliveries to keep. */
  readonly maxDead: number;
}

/** Records a failed attempt, unless `holder` no longer has the lease: another sender may have the queue. */
export async function markFailed(
  store: Store,
  subscription: string,
  delivery: NextDelivery,
  holder: string,
  { reason, due, isLast, isGone, maxDead }: DeliveryFailure,
): Promise<void> {
  const attempts = delivery.attempts + 1;
  await store.transact(async (connection) => {
    const { numUpdatedRows } = await connection
      .updateTable("webhook_queues")
      .set({ attempts: isLast ? 0 : attempts, failures: delivery.failures + 1, last_failure: reason, due })
      .where("subscription_id", "=", subscription)
      .where("lease_holder", "=", holder)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (isGone) await disableWebhook(connection, subscription);
    if (!isLast) return;
    const dead: DeadDelivery = { ...delivery.event, id: delivery.id, attempts, last_failure: reason };
    await connection.deleteFrom("webhook_deliveries").where("position", "=", delivery.position).execute();
    await deleteUnwanted(connection, [delivery.event.id]);
    await insertDead(connection, { organisation: delivery.organisation, subscription }, [dead], maxDead);
  });
}

/** Deletes events that no delivery needs any longer: those of `events`, or all. */
export async function deleteUnwanted(connection: StoreConnection, events?: readonly string[]): Promise<void> {
  if (events?.length === 0) return;
  const unwanted = connection
    .deleteFrom("webhook_events")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("webhook_deliveries as delivery")
            .select("delivery.position")
            .whereRef("delivery.event_id", "=", "webhook_events.id"),
        ),
      ),
    );
  await (events === undefined ? unwanted : unwanted.where("id", "in", events)).execute();
}

/**
 * Deletes obsolete data: deliveries of deleted subscriptions, events without deliveries, and dead deliveries given up
 * before a time (ISO 8601).
 */
export async function sweep(store: Store, before: string): Promise<void> {
  await store.transact(async (connection) => {
    await connection
      .deleteFrom("webhook_deliveries")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("webhook_queues as queue")
              .select("queue.subscription_id")
              .whereRef("queue.subscription_id", "=", "webhook_deliveries.subscription_id"),
          ),
        ),
      )
      .execute();
    await deleteUnwanted(connection);
    await connection.deleteFrom("webhook_dead_deliveries").where("date_created", "<", before).execute();
  });
}
