// Dead deliveries: deliveries that were given up, kept for a while to be inspected and replayed.

import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, StoreTransaction } from "../../store/store.ts";
import type { DeadDelivery as DeadDeliveryRecord } from "../generated/dead-delivery.ts";
import { chunks, insertDeliveries, insertEvents, type StoredEvent } from "./deliveries.ts";
import { findWebhook, type WebhookOwner } from "./webhooks.ts";

/** A dead delivery: its event, with the id of the delivery instead of that of the event. */
export interface DeadDelivery extends StoredEvent {
  readonly attempts: number;
  readonly last_failure: string;
}

/** The stored record of a dead delivery. */
interface StoredDead extends DeadDelivery {
  readonly date_given_up: string;
}

/** Stores dead deliveries in their order, and keeps only the newest `most` of the subscription. */
export async function insertDead(
  connection: StoreTransaction,
  { organisation, subscription }: { readonly organisation: string; readonly subscription: string },
  deliveries: readonly DeadDelivery[],
  most: number,
): Promise<void> {
  const date_given_up = new Date().toISOString();
  const kept = deliveries.slice(Math.max(0, deliveries.length - most));
  const rows = kept.map((delivery, index) => ({
    id: delivery.id,
    org_id: organisation,
    subscription_id: subscription,
    // The suffix keeps the order of deliveries with the same time.
    date_created: `${date_given_up} ${String(index).padStart(6, "0")}`,
    record: JSON.stringify({ ...delivery, date_given_up } satisfies StoredDead),
  }));
  for (const some of chunks(rows)) {
    await connection.insertInto("webhook_dead_deliveries").values(some).execute();
  }
  const surplus = await ofSubscription(connection, subscription)
    .orderBy("date_created", "desc")
    .orderBy("id", "desc")
    .limit(Math.max(1, deliveries.length))
    .offset(most)
    .execute();
  await deleteRows(connection, surplus);
}

function ofSubscription(connection: StoreConnection, subscription: string) {
  return connection
    .selectFrom("webhook_dead_deliveries")
    .select(["id", "record"])
    .where("subscription_id", "=", subscription);
}

async function deleteRows(
  connection: StoreTransaction,
  rows: readonly { readonly id: string }[],
): Promise<number> {
  let deleted = 0;
  for (const some of chunks(rows)) {
    const ids = some.map(({ id }) => id);
    const { numDeletedRows } = await connection
      .deleteFrom("webhook_dead_deliveries")
      .where("id", "in", ids)
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
  }
  return deleted;
}

/** Returns a page of a subscription's dead deliveries, the oldest first, without content; rejects with `notFound`. */
export async function listDead(
  store: Store,
  owner: WebhookOwner,
  webhook: string,
  page: Page | undefined,
): Promise<Listed<DeadDeliveryRecord>> {
  return store.read(async (connection) => {
    await findWebhook(connection, owner, webhook);
    const { total } = await connection
      .selectFrom("webhook_dead_deliveries")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("subscription_id", "=", webhook)
      .executeTakeFirstOrThrow();
    const sorted = ofSubscription(connection, webhook).orderBy("date_created").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    const records = rows.map((row) => {
      const { headers: _headers, secret: _secret, body: _body, ...shown } = readDead(row);
      return shown;
    });
    return listed(records, total, page);
  });
}

/** Returns a dead delivery with its content; rejects with `notFound` if it does not exist. */
export async function getDead(
  store: Store,
  owner: WebhookOwner,
  webhook: string,
  id: string,
): Promise<DeadDeliveryRecord> {
  return store.read(async (connection) => {
    await findWebhook(connection, owner, webhook);
    const row = await ofSubscription(connection, webhook).where("id", "=", id).executeTakeFirst();
    if (row === undefined) throw notFound();
    const { headers, secret: _, ...shown } = readDead(row);
    return { ...shown, headers: JSON.parse(headers) };
  });
}

/** Deletes a dead delivery; rejects with 404 if it does not exist. */
export async function deleteDead(
  store: Store,
  owner: WebhookOwner,
  webhook: string,
  id: string,
): Promise<void> {
  await store.transact(async (connection) => {
    await findWebhook(connection, owner, webhook);
    const row = await ofSubscription(connection, webhook).where("id", "=", id).executeTakeFirst();
    if (row === undefined) throw refusal(404, "Could not retrieve object for deletion");
    await deleteRows(connection, [row]);
  });
}

/** The maximum number of dead deliveries replayed in one transaction. */
const replayedAtOnce = 100;

/**
 * Queues dead deliveries again, with the same ids, after all pending ones: one delivery, or all of a subscription if
 * `id` is `undefined`. Returns their number. Rejects with `notFound`, and with 409 if the subscription is disabled.
 */
export async function replayDead(
  store: Store,
  owner: WebhookOwner,
  webhook: string,
  id: string | undefined,
): Promise<number> {
  let replayed = 0;
  for (;;) {
    const count = await store.transact((connection) => replaySome(connection, owner, webhook, id));
    if (count === 0 && id !== undefined) throw notFound();
    replayed += count;
    if (count < replayedAtOnce) return replayed;
  }
}

async function replaySome(
  connection: StoreTransaction,
  owner: WebhookOwner,
  webhook: string,
  id: string | undefined,
): Promise<number> {
  const { disabled = false } = await findWebhook(connection, owner, webhook);
  if (disabled) throw refusal(409, "The webhook is disabled.");
  const all = ofSubscription(connection, webhook);
  const rows = await (id === undefined ? all : all.where("id", "=", id))
    .orderBy("date_created")
    .orderBy("id")
    .limit(replayedAtOnce)
    .execute();
  // Of two concurrent replays, one deletes the rows. The other one finds fewer rows and is rolled back.
  if ((await deleteRows(connection, rows)) < rows.length)
    throw refusal(409, "They are being replayed already.");
  const again = rows.map((row) => {
    const { event, date_created, headers, secret, body } = readDead(row);
    return { id: row.id, stored: { id: createIdentifier(), event, date_created, headers, secret, body } };
  });
  await insertEvents(
    connection,
    again.map(({ stored }) => stored),
  );
  await insertDeliveries(
    connection,
    again.map(({ id, stored }) => ({ id, subscription_id: webhook, event_id: stored.id })),
  );
  return rows.length;
}

function readDead({ record }: { readonly record: string }): StoredDead {
  return JSON.parse(record);
}
