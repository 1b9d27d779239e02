// Events handed on one group after another, so that their order stays.

import { GatewayError } from "../errors.ts";
import type { WebhookEvent } from "./webhook-events.ts";

/** Events of a group, unless one batch has more. */
const eventsAtOnce = 500;

interface Waiting<K> {
  readonly events: readonly WebhookEvent[];
  readonly key: K;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Takes batches of events in the order of the calls; those that wait while others are handed on share the next group. */
export class EventQueue<K> {
  readonly #hand: (events: readonly WebhookEvent[], key: K) => Promise<void>;
  #waiting: Waiting<K>[] = [];
  #work: Promise<void> | undefined;
  #isClosed = false;

  /** `hand` takes a group of events of one key: all of them, or none. */
  constructor(hand: (events: readonly WebhookEvent[], key: K) => Promise<void>) {
    this.#hand = hand;
  }

  /** Resolves when the events are handed on; rejects with the failure of that, and once the queue is closed. */
  put(events: readonly WebhookEvent[], key: K): Promise<void> {
    if (this.#isClosed) return Promise.reject(new GatewayError(503, "Events are taken no more"));
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, key, resolve, reject });
      this.#work ??= this.#drain().finally(() => {
        this.#work = undefined;
      });
    });
  }

  /** Takes nothing new and waits for what was taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    for (let group = this.#next(); group.length > 0; group = this.#next()) {
      const isDone = await this.#try(group);
      // One that can never be taken must not take the others along.
      if (!isDone) for (const each of group) await this.#try([each]);
    }
  }

  /** Hands a group on and tells who waits for it; `false` where it failed and may be tried in parts. */
  async #try(group: readonly Waiting<K>[]): Promise<boolean> {
    const [first] = group;
    if (first === undefined) return true;
    try {
      await this.#hand(
        group.flatMap(({ events }) => events),
        first.key,
      );
      for (const { resolve } of group) resolve();
    } catch (error) {
      const isFinal = error instanceof GatewayError && !error.retryable;
      if (isFinal && group.length > 1) return false;
      for (const { reject } of group) reject(error);
    }
    return true;
  }

  /** What waits of the first key that does, in order. */
  #next(): readonly Waiting<K>[] {
    const [first] = this.#waiting;
    let count = 0;
    const end = this.#waiting.findIndex(({ events, key }, index) => {
      count += events.length;
      return key !== first?.key || (index > 0 && count > eventsAtOnce);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
