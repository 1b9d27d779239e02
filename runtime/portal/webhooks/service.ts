// Webhooks at work: events come in, one transaction after another, and go out by the sender.

import type { Environment } from "../../environment.ts";
import { GatewayError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { WebhookEvent } from "../../webhook-events.ts";
import { type WebhooksOptions, webhooksDefaults } from "../generated/webhooks-options.ts";
import { storeEvents } from "./outbox.ts";
import { readSealing } from "./secrets.ts";
import { createSender } from "./sender.ts";
import type { WebhookContext } from "./webhooks.ts";

/** Events that one transaction takes, unless one batch has more. */
const eventsAtOnce = 500;

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
      const queue = new EventQueue(async (organisation, events) => {
        if ((await storeEvents(context, organisation, events)) > 0) sender.wake();
      });
      return {
        store,
        sealing,
        allowPrivate: settings.allow_private,
        take: (organisation, events) => queue.put(organisation, events),
        wake: () => sender.wake(),
        async close() {
          await queue.close();
          await sender.close();
        },
      };
    },
  };
}

interface Waiting {
  readonly organisation: string;
  readonly events: readonly WebhookEvent[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Stores events one transaction after another, so that their order stays; those that wait meanwhile share the next. */
class EventQueue {
  readonly #store: (organisation: string, events: readonly WebhookEvent[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(store: (organisation: string, events: readonly WebhookEvent[]) => Promise<void>) {
    this.#store = store;
  }

  put(organisation: string, events: readonly WebhookEvent[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(new GatewayError(503, "The portal is closed"));
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ organisation, events, resolve, reject });
      this.#work ??= this.#drain().finally(() => {
        this.#work = undefined;
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      const events = batch.flatMap((each) => each.events);
      try {
        await this.#store(batch[0]?.organisation ?? "", events);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** What waits of the first organisation that does, without passing over anybody. */
  #next(): readonly Waiting[] {
    const [first] = this.#waiting;
    let count = 0;
    const end = this.#waiting.findIndex(({ organisation, events }) => {
      count += events.length;
      return organisation !== first?.organisation || (count > eventsAtOnce && events !== first.events);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
