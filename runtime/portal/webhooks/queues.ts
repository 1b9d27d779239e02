// The queues of subscriptions: a sender takes a lease on one, and has its deliveries one after another.

import type { Store, StoreConnection } from "../../store/store.ts";
import type { QueueLease } from "../leased-queues.ts";
import { type DeadDelivery, insertDead } from "./dead-deliveries.ts";
import type { StoredEvent } from "./deliveries.ts";
import { disableWebhook, type RecentAttempt, readAttempts } from "./webhooks.ts";

/** The first delivery of a queue, and where it goes. */
export interface NextDelivery {
  readonly position: number;
  readonly id: string;
  readonly organisation: string;
  readonly event: StoredEvent;
  /** The record of the subscription, as it is now. */
  readonly record: string;
  readonly attempts: number;
  readonly failures: number;
  /** The last attempts of the queue, as they are stored. */
  readonly recent: string | null;
}

/**
 * Takes leases on queues that have something to send now and no sender, at most so many, those that have waited
 * longest first. Of several who want one at once, one gets it.
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

/** Attempts that are kept of a queue. */
const mostRecent = 20;

/** The last attempts of a queue while its lease lasts: they are stored when that is renewed or given back. */
export class AttemptLog {
  #attempts: readonly RecentAttempt[] | undefined;

  /** Adds an attempt at a delivery. */
  add({ recent }: NextDelivery, attempt: RecentAttempt): void {
    this.#attempts = [attempt, ...(this.#attempts ?? readAttempts(recent))].slice(0, mostRecent);
  }

  /** What is to be stored; nothing where nothing was tried. */
  changed(): { readonly recent?: string } {
    return this.#attempts === undefined ? {} : { recent: JSON.stringify(this.#attempts) };
  }
}

/** Makes a lease last longer; `false` where it is over, or another sender's, or the queue is gone. */
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

/** Gives a lease back; others go first then, where they have waited. */
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

/** The first delivery of a queue that is not paused; `undefined` where nothing is to be sent. */
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
 * Takes a delivery that was received out of its queue; what was waited for does not count any more. Its event stays until
 * `deleteUnwanted`: two changes in one transaction would take four times as long.
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

/** What a failed attempt leads to. */
export interface DeliveryFailure {
  readonly reason: string;
  /** When the next attempt may be. */
  readonly due: number;
  /** The delivery is not tried again, but kept as a dead one. */
  readonly isLast: boolean;
  /** The receiver wants nothing any more (410): the subscription is switched off, and the delivery stays. */
  readonly isGone: boolean;
  /** Dead deliveries that are kept. */
  readonly maxDead: number;
}

/** Notes a failed attempt. The lease decides what happens: another sender may have had the queue since. */
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

/** Deletes those of the events, or of all, that no delivery waits for any more. */
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
 * Deletes what is not sent any more: deliveries of subscriptions that are gone, events without deliveries, dead
 * deliveries given up before that time (ISO 8601).
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
