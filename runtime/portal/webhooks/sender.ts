// Sends what waits in the store: each subscription's deliveries one after another, many subscriptions side by side.

import { randomUUID } from "node:crypto";
import { backoffDelay, pause } from "../../concurrency/backoff.ts";
import { settlesWithin } from "../../concurrency/deadline.ts";
import type { Logger } from "../../process/log.ts";
import type { Store } from "../../store/store.ts";
import type { WebhooksOptions } from "../generated/webhooks-options.ts";
import { createAttempts, failed, type WebhookOutcome } from "./attempt.ts";
import { envelopeOf } from "./envelope.ts";
import {
  deleteUnwanted,
  findNext,
  markFailed,
  markReceived,
  type NextDelivery,
  type QueueLease,
  releaseQueue,
  renewLease,
  sweep,
  takeQueues,
} from "./queues.ts";
import type { Sealing } from "./secrets.ts";

/** The `webhooks` block with nothing left out; times in milliseconds. */
export type WebhookSettings = Required<WebhooksOptions>;

/** How often the store is asked for what others have put there, or left when they ended. */
const lookEvery = 500;
/** How often what nobody needs any more is deleted. */
const sweepEvery = 600_000;
/** A lease outlasts an attempt by this, and is renewed where less than this would be left after one. */
const leaseMargin = 5_000;
/** Deliveries after which a subscription lets others have its place. */
const turn = 100;
/** For attempts under way when the gateway closes. */
const closingTime = 2_000;
/** The longest pause that a receiver may ask for. */
const mostAsked = 24 * 3_600_000;

/** Sends while it is there. */
export interface WebhookSender {
  /** Tells that there is something to send now. */
  wake(): void;
  /** Ends attempts under way soon, as if they had not been made, and gives its leases back. */
  close(): Promise<void>;
}

export interface WebhookSenderOptions {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly settings: WebhookSettings;
  readonly log: Logger;
}

/** Begins to send. */
export function createSender(options: WebhookSenderOptions): WebhookSender {
  const { store, settings, log } = options;
  const attempts = createAttempts(settings.timeout, settings.allow_private);
  const clock = new StoreClock(store);
  const holder = randomUUID();
  const stopping = new AbortController();
  const cutting = new AbortController();
  let waking = new AbortController();
  const running = new Set<Promise<void>>();
  let isFailing = false;
  let swept = Number.NEGATIVE_INFINITY;

  async function leaseNow(): Promise<QueueLease> {
    const now = await clock.now();
    return { holder, now, until: now + settings.timeout + 2 * leaseMargin };
  }

  /** What is not understood is the store's, which may come back: one line tells of it, and one of its return. */
  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (isFailing) log.info("webhook delivery resumed");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error("webhook delivery failed, retrying", { error });
      isFailing = true;
    }
  }

  async function look(): Promise<void> {
    const free = settings.max_in_flight - running.size;
    if (free > 0) {
      for (const subscription of await takeQueues(store, await leaseNow(), free)) {
        const work = guarded(() => serve(subscription)).finally(() => {
          running.delete(work);
          waking.abort();
        });
        running.add(work);
      }
    }
    if (performance.now() - swept < sweepEvery) return;
    swept = performance.now();
    await sweep(store, new Date(Date.now() - settings.dead_retention).toISOString());
  }

  /** Sends deliveries of a subscription until there are none, one fails, or its turn is over. */
  async function serve(subscription: string): Promise<void> {
    let renewed = performance.now();
    const received: string[] = [];
    for (let count = 0; count < turn && !stopping.signal.aborted; count += 1) {
      if (performance.now() - renewed > leaseMargin) {
        if (!(await renewLease(store, subscription, await leaseNow()))) return;
        renewed = performance.now();
      }
      const delivery = await findNext(store, subscription);
      if (delivery === undefined) break;
      const outcome = await attempt(delivery);
      if (cutting.signal.aborted && outcome.kind === "failed") break;
      if (outcome.kind === "received") {
        await markReceived(store, subscription, delivery);
        received.push(delivery.event.id);
        tell("debug", "a webhook was received", subscription, delivery);
        continue;
      }
      await fail(subscription, delivery, outcome);
      break;
    }
    await store.read((connection) => deleteUnwanted(connection, received));
    await releaseQueue(store, subscription, await leaseNow());
  }

  async function attempt(delivery: NextDelivery): Promise<WebhookOutcome> {
    try {
      return await attempts.make(envelopeOf(delivery, options.sealing, Date.now()), cutting.signal);
    } catch (error) {
      log.error("a webhook cannot be signed", { delivery: delivery.id, error });
      return failed("It could not be signed");
    }
  }

  async function fail(
    subscription: string,
    delivery: NextDelivery,
    { reason, asked, isGone }: Extract<WebhookOutcome, { readonly kind: "failed" }>,
  ): Promise<void> {
    const { retry_period: first, max_retry_backoff: longest } = settings;
    const own = backoffDelay(delivery.failures, { first, longest });
    const delay = Math.max(own, Math.min(asked, mostAsked));
    const isLast = !isGone && delivery.attempts + 1 >= settings.max_attempts;
    const due = (await clock.now()) + Math.ceil(delay);
    await markFailed(store, subscription, delivery, holder, {
      reason,
      due,
      isLast,
      isGone,
      maxDead: settings.max_dead,
    });
    if (isGone) tell("warn", "a webhook was switched off by its receiver", subscription, delivery);
    else if (isLast) tell("warn", "a webhook was given up", subscription, delivery, reason);
    else if (delivery.failures === 0)
      tell("warn", "a webhook was not received", subscription, delivery, reason);
    // A longer one is found due by a later look.
    if (delay < lookEvery) void pause(delay, stopping.signal).then(() => waking.abort());
  }

  function tell(
    level: "debug" | "warn",
    message: string,
    webhook: string,
    { id, event }: NextDelivery,
    reason?: string,
  ): void {
    log[level](message, {
      webhook,
      delivery: id,
      event: event.event,
      ...(reason !== undefined && { reason }),
    });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      await guarded(look);
      await pause(lookEvery, waking.signal);
    }
  }
  const loop = run();

  return {
    wake: () => waking.abort(),
    async close() {
      stopping.abort();
      waking.abort();
      await loop;
      const rest = Promise.all(running);
      if (!(await settlesWithin(rest, closingTime))) cutting.abort();
      await rest;
      attempts.close();
    },
  };
}

/** Milliseconds after which the clock is read again: clocks of machines drift apart slowly. */
const readEvery = 60_000;

/** Tells the time of the store without asking for it each time. */
class StoreClock {
  readonly #store: Store;
  #read = { at: Number.NEGATIVE_INFINITY, time: 0 };

  constructor(store: Store) {
    this.#store = store;
  }

  /** Milliseconds since 1970. It goes by steady time between its readings, so that it stands still or jumps nowhere. */
  async now(): Promise<number> {
    if (performance.now() - this.#read.at > readEvery) {
      const time = await this.#store.time();
      // After the answer: a clock that is behind ends leases too late rather than too early.
      this.#read = { at: performance.now(), time };
    }
    return Math.floor(this.#read.time + performance.now() - this.#read.at);
  }
}
