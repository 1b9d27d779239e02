// Subscriptions of apps to events, in the store.

import { isIP } from "node:net";
import { hostOf, isPublic } from "../../requests/public-addresses.ts";
import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store, type StoreConnection, type StoreTransaction } from "../../store/store.ts";
import { getApp } from "../apps/find-app.ts";
import { checkEvents } from "../apps/products.ts";
import { readCatalogue } from "../documents/documents.ts";
import type { Webhook } from "../generated/webhook.ts";
import { checkSecret, createSecret, type Sealing } from "./secrets.ts";

/** The dependencies for managing subscriptions. */
export interface WebhookContext {
  readonly store: Store;
  readonly sealing: Sealing;
  /** Whether URLs may lead to private networks, which only the gateway can reach. */
  readonly allowPrivate: boolean;
}

/** The app that owns a subscription. */
export interface WebhookOwner {
  readonly organisation: string;
  readonly app: string;
}

/** A stored subscription, with its encrypted secret. */
interface StoredWebhook extends Webhook {
  readonly secret: string;
}

/** Returns a page of an app's subscriptions, the oldest first, without secrets; rejects with `notFound`. */
export async function listWebhooks(
  store: Store,
  { organisation, app }: WebhookOwner,
  page: Page | undefined,
): Promise<Listed<Webhook>> {
  return store.read(async (connection) => {
    await getApp(connection, organisation, app);
    const all = connection
      .selectFrom("webhook_subscriptions")
      .where("org_id", "=", organisation)
      .where("app_id", "=", app);
    const { total } = await all
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = all.select("record").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(await withStates(connection, rows.map(readWebhook)), total, page);
  });
}

/** Returns a subscription without its secret; rejects with `notFound`. */
export async function getWebhook(store: Store, owner: WebhookOwner, id: string): Promise<Webhook> {
  return store.read(async (connection) => {
    const [webhook] = await withStates(connection, [await findWebhook(connection, owner, id)]);
    if (webhook === undefined) throw notFound();
    return webhook;
  });
}

/** The id of a new subscription, and its secret if the server generated it. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string | undefined;
}

/**
 * Creates a subscription. Rejects with 422 if the URL or the secret cannot be used, with 403 if no product of the app
 * has webhooks enabled or an event is not offered, and with `notFound` if the app does not exist.
 */
export async function createWebhook(
  { store, sealing, allowPrivate }: WebhookContext,
  owner: WebhookOwner,
  webhook: Webhook,
): Promise<CreatedWebhook> {
  checkTarget(webhook.url, allowPrivate);
  const secret = webhook.secret ?? createSecret();
  checkSecret(secret);
  const id = createIdentifier();
  const created = { id, date_created: new Date().toISOString(), secret: sealing.seal(secret) };
  await store.transact(async (connection) => {
    await checkOffered(connection, owner, webhook);
    const record = recordOf(webhook, owner, created);
    await connection
      .insertInto("webhook_subscriptions")
      .values({ id, org_id: owner.organisation, app_id: owner.app, record: JSON.stringify(record) })
      .execute();
    await connection
      .insertInto("webhook_queues")
      .values({ subscription_id: id, paused: 0, attempts: 0, failures: 0, due: 0, lease_until: 0 })
      .execute();
    await writeWanted(connection, owner.organisation, id, record);
  });
  return { id, secret: webhook.secret === undefined ? secret : undefined };
}

/** Replaces a subscription. Keeps the secret if the new one has none. Rejects as `createWebhook` does. */
export async function replaceWebhook(
  { store, sealing, allowPrivate }: WebhookContext,
  owner: WebhookOwner,
  id: string,
  webhook: Webhook,
): Promise<void> {
  checkTarget(webhook.url, allowPrivate);
  if (webhook.secret !== undefined) checkSecret(webhook.secret);
  await store.transact(async (connection) => {
    await checkOffered(connection, owner, webhook);
    const former = await findWebhook(connection, owner, id);
    const secret = webhook.secret === undefined ? former.secret : sealing.seal(webhook.secret);
    const record = recordOf(webhook, owner, { id, date_created: former.date_created ?? "", secret });
    await connection
      .updateTable("webhook_subscriptions")
      .set({ record: JSON.stringify(record) })
      .where("id", "=", id)
      .execute();
    await writeWanted(connection, owner.organisation, id, record);
  });
}

/** Deletes a subscription with its pending and dead deliveries; rejects with 404 if it does not exist. */
export async function deleteWebhook(
  store: Store,
  { organisation, app }: WebhookOwner,
  id: string,
): Promise<void> {
  await store.transact(async (connection) => {
    const { numDeletedRows } = await connection
      .deleteFrom("webhook_subscriptions")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .where("app_id", "=", app)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
    await deleteRest(connection, [id]);
  });
}

/** Deletes the subscriptions of apps, in the transaction that deletes the apps. */
export async function deleteWebhooksOf(
  connection: StoreTransaction,
  organisation: string,
  apps: readonly string[],
): Promise<void> {
  if (apps.length === 0) return;
  const rows = await connection
    .deleteFrom("webhook_subscriptions")
    .where("org_id", "=", organisation)
    .where("app_id", "in", apps)
    .returning("id")
    .execute();
  await deleteRest(
    connection,
    rows.map(({ id }) => id),
  );
}

/** Disables a subscription, as its receiver requests. Does nothing if it no longer exists. */
export async function disableWebhook(connection: StoreTransaction, id: string): Promise<void> {
  const row = await connection
    .selectFrom("webhook_subscriptions")
    .select(["org_id", "record"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return;
  const record = { ...readWebhook(row), disabled: true };
  await connection
    .updateTable("webhook_subscriptions")
    .set({ record: JSON.stringify(record) })
    .where("id", "=", id)
    .execute();
  await writeWanted(connection, row.org_id, id, record);
}

/** Returns a subscription with its encrypted secret; rejects with `notFound`. */
export async function findWebhook(
  connection: StoreConnection,
  { organisation, app }: WebhookOwner,
  id: string,
): Promise<StoredWebhook> {
  const row = await connection
    .selectFrom("webhook_subscriptions")
    .select("record")
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .where("app_id", "=", app)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return readWebhook(row);
}

/** A recent attempt of a subscription. */
export type RecentAttempt = NonNullable<NonNullable<Webhook["state"]>["recent_attempts"]>[number];

/** Returns the last attempts in a row, the newest first. */
export function readAttempts(recent: string | null): readonly RecentAttempt[] {
  return recent === null ? [] : JSON.parse(recent);
}

/** Returns the subscription in a row. */
export function readWebhook({ record }: { readonly record: string }): StoredWebhook {
  return JSON.parse(record);
}

async function checkOffered(
  connection: StoreConnection,
  { organisation, app }: WebhookOwner,
  { events }: Webhook,
): Promise<void> {
  const { products = [] } = await getApp(connection, organisation, app);
  checkEvents(await readCatalogue(connection, organisation), products, events);
}

/** Records the wanted events and whether the queue is paused. Notifies gateways of the change. */
async function writeWanted(
  connection: StoreTransaction,
  organisation: string,
  id: string,
  { events, disabled = false }: Webhook,
): Promise<void> {
  await connection.deleteFrom("webhook_wanted_events").where("subscription_id", "=", id).execute();
  if (!disabled) {
    const rows = [...new Set(events)].map((event) => ({ subscription_id: id, org_id: organisation, event }));
    await connection.insertInto("webhook_wanted_events").values(rows).execute();
  }
  await connection
    .updateTable("webhook_queues")
    // The change may have removed the cause of failures: retry immediately.
    .set({ paused: disabled ? 1 : 0, failures: 0, due: 0 })
    .where("subscription_id", "=", id)
    .execute();
  await countChange(connection, "webhook_subscriptions");
}

async function deleteRest(connection: StoreTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // Events without deliveries are removed later.
  for (const table of ["webhook_wanted_events", "webhook_queues", "webhook_deliveries"] as const) {
    await connection.deleteFrom(table).where("subscription_id", "in", ids).execute();
  }
  await connection.deleteFrom("webhook_dead_deliveries").where("subscription_id", "in", ids).execute();
  await countChange(connection, "webhook_subscriptions");
}

/** Returns subscriptions without secrets, with the state of their deliveries. */
async function withStates(
  connection: StoreConnection,
  webhooks: readonly StoredWebhook[],
): Promise<readonly Webhook[]> {
  const ids = webhooks.map(({ id = "" }) => id);
  if (ids.length === 0) return [];
  const queues = await connection
    .selectFrom("webhook_queues as queue")
    .select((select) => [
      "queue.subscription_id",
      "queue.attempts",
      "queue.failures",
      "queue.last_failure",
      "queue.due",
      "queue.recent",
      select
        .selectFrom("webhook_deliveries as delivery")
        .whereRef("delivery.subscription_id", "=", "queue.subscription_id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .as("waiting"),
      select
        .selectFrom("webhook_dead_deliveries as dead")
        .whereRef("dead.subscription_id", "=", "queue.subscription_id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .as("dead"),
    ])
    .where("queue.subscription_id", "in", ids)
    .execute();
  const states = new Map(
    queues.map(({ subscription_id: id, attempts, failures, last_failure, due, recent, waiting, dead }) => [
      id,
      {
        waiting: waiting ?? 0,
        dead: dead ?? 0,
        attempts,
        next_attempt: failures === 0 ? "" : new Date(due).toISOString(),
        last_failure: last_failure ?? "",
        recent_attempts: readAttempts(recent),
      },
    ]),
  );
  return webhooks.map(({ secret: _, ...webhook }) => {
    const state = states.get(webhook.id ?? "");
    return { ...webhook, ...(state !== undefined && { state }) };
  });
}

function recordOf(
  webhook: Webhook,
  { organisation, app }: WebhookOwner,
  own: { readonly id: string; readonly date_created: string; readonly secret: string },
): StoredWebhook {
  const { id, date_created, secret } = own;
  const ids = { id, org_id: organisation, app_id: app };
  return { ...ids, description: "", disabled: false, ...webhook, secret, date_created };
}

/**
 * Throws a 422 if nothing could be sent to a URL: it has another scheme, contains a password, or is clearly not public.
 * Host names are checked for each connection, because their addresses change.
 */
export function checkTarget(text: string, allowPrivate: boolean): void {
  const problem = problemOf(URL.parse(text), allowPrivate);
  if (problem !== undefined) throw refusal(422, "Webhook object validation failed.", [`url: ${problem}`]);
}

function problemOf(url: URL | null, allowPrivate: boolean): string | undefined {
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an address of https or http";
  if (url.username !== "" || url.password !== "") return "must not hold a user or password";
  const host = hostOf(url);
  const isLocal = isIP(host) === 0 ? /^(?:.*\.)?localhost\.?$/i.test(host) : !isPublic(host);
  return isLocal && !allowPrivate ? "leads to an address that is not public" : undefined;
}
