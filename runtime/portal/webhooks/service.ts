// The webhook service: stores incoming events, one transaction after another, and sends them.

import type { Environment } from "../../process/environment.ts";
import type { Logger } from "../../process/log.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreTransaction } from "../../store/store.ts";
import { asBuffer } from "../../text/utf8.ts";
import { readApp } from "../apps/find-app.ts";
import { offeredEvents } from "../apps/products.ts";
import { readCatalogue } from "../documents/documents.ts";
import { EventQueue } from "../event-queue.ts";
import { type WebhooksOptions, webhooksDefaults } from "../generated/webhooks-options.ts";
import type { WebhookEvent } from "../webhook-events.ts";
import { type DeadDelivery, insertDead } from "./dead-deliveries.ts";
import { insertDeliveries, insertEvents, type StoredEvent } from "./deliveries.ts";
import { readSealing, type Sealing } from "./secrets.ts";
import { createSender } from "./sender.ts";
import type { WebhookContext } from "./webhooks.ts";

/** The webhooks of a gateway's portal. */
export interface WebhookService extends WebhookContext {
  /**
   * Resolves when the events are stored for all subscribers, in the order of the calls. Rejects with a `GatewayError`.
   */
  take(organisation: string, events: readonly WebhookEvent[]): Promise<void>;
  /** Reports that there is something to send. */
  wake(): void;
  close(): Promise<void>;
}

/** Webhooks as configured by `gateway.yaml` and the environment, before the store is open. */
export interface ConfiguredWebhooks {
  start(store: Store, log: Logger): WebhookService;
}

/** Reads the configuration. Throws an `EnvironmentError` if the key for secrets is not valid. */
export function configureWebhooks(env: Environment, options: WebhooksOptions): ConfiguredWebhooks {
  const settings = { ...webhooksDefaults, ...options };
  const sealing = readSealing(env);
  return {
    start(store, log) {
      const context = { store, sealing, maxWaiting: settings.max_waiting, maxDead: settings.max_dead };
      const sender = createSender({ store, sealing, settings, log });
      const queue = new EventQueue(async (events, organisation: string) => {
        if ((await storeEvents(context, organisation, events)) > 0) sender.wake();
      });
      return {
        store,
        sealing,
        allowPrivate: settings.allow_private,
        take: (organisation, events) => queue.put(events, organisation),
        wake: () => sender.wake(),
        async close() {
          await queue.close();
          await sender.close();
        },
      };
    },
  };
}

/** Event types that can be subscribed to. Databases do not accept every text. */
const subscribable = /^[!-~]+(?: [!-~]+)*$/;

/** The dependencies for storing events. */
interface OutboxContext {
  readonly store: Store;
  readonly sealing: Sealing;
  /** The maximum number of waiting deliveries per subscription. */
  readonly maxWaiting: number;
  /** The maximum number of dead deliveries kept per subscription. */
  readonly maxDead: number;
}

interface Delivery {
  readonly id: string;
  readonly subscription: string;
  readonly event: StoredEvent;
}

/**
 * Stores events for their subscribers, all of them or none: for enabled subscriptions to exactly their type, of apps
 * whose products still offer it and whose developers are active. Returns the number of new deliveries. Deliveries that
 * exceed the maximum of a subscription become dead ones immediately.
 */
function storeEvents(
  { store, sealing, maxWaiting, maxDead }: OutboxContext,
  organisation: string,
  events: readonly WebhookEvent[],
): Promise<number> {
  return store.transact(async (connection) => {
    const types = new Set(events.map(({ event }) => event).filter((event) => subscribable.test(event)));
    const subscribers = await findSubscribers(connection, organisation, types);
    const date_created = new Date().toISOString();
    const deliveries = events.flatMap(({ event, headers, secret, body }) => {
      const wanted = subscribers.get(event) ?? [];
      if (wanted.length === 0) return [];
      const stored: StoredEvent = {
        id: createIdentifier(),
        event,
        date_created,
        headers: JSON.stringify(headers),
        secret: secret === undefined ? null : sealing.seal(secret),
        body: asBuffer(body).toString("base64"),
      };
      return wanted.map((subscription) => ({ id: `msg_${createIdentifier()}`, subscription, event: stored }));
    });
    const { fitting, beyond } = await split(connection, deliveries, maxWaiting);
    await insertEvents(connection, [...new Set(fitting.map(({ event }) => event))]);
    await insertDeliveries(
      connection,
      fitting.map(({ id, subscription, event }) => ({
        id,
        subscription_id: subscription,
        event_id: event.id,
      })),
    );
    for (const [subscription, list] of Map.groupBy(beyond, (delivery) => delivery.subscription)) {
      const dead = list.map(({ id, event }) => deadOf(id, event, maxWaiting));
      await insertDead(connection, { organisation, subscription }, dead, maxDead);
    }
    return fitting.length;
  });
}

function deadOf(id: string, event: StoredEvent, maxWaiting: number): DeadDelivery {
  return { ...event, id, attempts: 0, last_failure: `${maxWaiting} deliveries waited already` };
}

/** Returns the subscriptions by event type, ordered by id. */
async function findSubscribers(
  connection: StoreTransaction,
  organisation: string,
  events: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (events.size === 0) return new Map();
  const rows = await connection
    .selectFrom("webhook_wanted_events as wanted")
    .innerJoin("webhook_subscriptions as subscription", "subscription.id", "wanted.subscription_id")
    .innerJoin("portal_apps as app", "app.id", "subscription.app_id")
    .innerJoin("portal_developers as developer", "developer.id", "app.developer_id")
    .select(["wanted.event", "wanted.subscription_id as id", "app.record", "developer.record as developer"])
    .where("wanted.org_id", "=", organisation)
    .where("wanted.event", "in", [...events])
    .orderBy("wanted.subscription_id")
    .execute();
  if (rows.length === 0) return new Map();
  const catalogue = await readCatalogue(connection, organisation);
  const fitting = rows.filter(({ event, record, developer }) => {
    const { products = [] } = readApp({ record });
    const { inactive }: { readonly inactive?: boolean } = JSON.parse(developer);
    return inactive !== true && offeredEvents(catalogue, products)?.has(event) === true;
  });
  const byEvent = Map.groupBy(fitting, ({ event }) => event);
  return new Map([...byEvent].map(([event, list]) => [event, list.map(({ id }) => id)]));
}

/** Splits deliveries into those within the maximum of waiting deliveries and those beyond it. */
async function split(
  connection: StoreTransaction,
  deliveries: readonly Delivery[],
  maxWaiting: number,
): Promise<{ readonly fitting: readonly Delivery[]; readonly beyond: readonly Delivery[] }> {
  const room = new Map<string, number>();
  for (const { subscription } of deliveries) {
    if (room.has(subscription)) continue;
    const { count } = await connection
      .selectFrom("webhook_deliveries")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("subscription_id", "=", subscription)
      .executeTakeFirstOrThrow();
    room.set(subscription, maxWaiting - count);
  }
  const parts = Map.groupBy(deliveries, ({ subscription }) => {
    const left = room.get(subscription) ?? 0;
    room.set(subscription, left - 1);
    return left > 0;
  });
  return { fitting: parts.get(true) ?? [], beyond: parts.get(false) ?? [] };
}
