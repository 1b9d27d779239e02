// Webhooks at work: events come in, one transaction after another, and go out by the sender.

import type { Environment } from "../../process/environment.ts";
import type { Logger } from "../../process/log.ts";
import type { Store } from "../../store/store.ts";
import { EventQueue } from "../event-queue.ts";
import { type WebhooksOptions, webhooksDefaults } from "../generated/webhooks-options.ts";
import type { WebhookEvent } from "../webhook-events.ts";
import { storeEvents } from "./outbox.ts";
import { readSealing } from "./secrets.ts";
import { createSender } from "./sender.ts";
import type { WebhookContext } from "./webhooks.ts";

/** The webhooks of a gateway's portal. */
export interface WebhookService extends WebhookContext {
  /** Resolves when the events are stored for all their subscribers, in the order of the calls; rejects with a `GatewayError`. */
  take(organisation: string, events: readonly WebhookEvent[]): Promise<void>;
  /** Tells that there is something to send. */
  wake(): void;
  close(): Promise<void>;
}

/** Webhooks as `gateway.yaml` and the environment have them, before there is a store. */
export interface ConfiguredWebhooks {
  start(store: Store, log: Logger): WebhookService;
}

/** Throws an `EnvironmentError` for a key of secrets that is none. */
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
