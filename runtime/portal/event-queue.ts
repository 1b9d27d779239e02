// A queue that passes on events one group after another, which preserves their order.

import { GatewayError } from "../errors.ts";
import type { WebhookEvent } from "./webhook-events.ts";

/** The maximum number of events in a group, unless a single batch has more. */
const eventsAtOnce = 500;

interface Waiting<K> {
  readonly events: readonly WebhookEvent[];
  readonly key: K;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes batches of events in the order of the calls. Those that arrive while a group is in progress share the next one.
 */
export class EventQueue<K> {
  readonly #hand: (events: readonly WebhookEvent[], key: K) => Promise<void>;
  #waiting: Waiting<K>[] = [];
  #work: Promise<void> | undefined;
  #isClosed = false;

  /** `hand` processes a group of events with the same key: all of them, or none. */
  constructor(hand: (events: readonly WebhookEvent[], key: K) => Promise<void>) {
    this.#hand = hand;
  }

  /** Resolves when the events are processed. Rejects with the error of `hand`, or with 503 once the queue is closed. */
  put(events: readonly WebhookEvent[], key: K): Promise<void> {
    if (this.#isClosed) return Promise.reject(new GatewayError(503, "Events are no longer accepted"));
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, key, resolve, reject });
      this.#work ??= this.#drain().finally(() => {
        this.#work = undefined;
      });
    });
  }

  /** Accepts no more events and resolves when the accepted ones are processed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    for (let group = this.#next(); group.length > 0; group = this.#next()) {
      const isDone = await this.#try(group);
      // A batch that can never be accepted must not fail the others.
      if (!isDone) for (const each of group) await this.#try([each]);
    }
  }

  /** Processes a group and settles its promises. Returns `false` if the group failed and should be retried in parts. */
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

  /** Removes and returns the next batches with the same key, in order. */
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
