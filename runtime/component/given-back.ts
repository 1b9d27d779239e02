// Recognises messages that could not be delivered and were returned to their broker when they are delivered again.

import { createHash } from "node:crypto";
import { type BackoffOptions, backoffDelay, pause } from "../concurrency/backoff.ts";
import { type Blockage, blockageOf, type SourceOf } from "../conditions/blockage.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import { type GatewayError, toGatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { InputContext } from "./component.ts";
import { deliverEachOnce } from "./deliver-each.ts";
import { giveUp } from "./redelivery.ts";

/**
 * The number of remembered messages. Beyond it, the oldest is forgotten and counts as new when it is delivered again.
 */
const rememberedLimit = 4096;

/** Milliseconds without redelivery after which a message is assumed to be delivered to another consumer. */
const patience = 60_000;

interface Entry {
  readonly blockage: Blockage;
  readonly end: EndCondition;
  forget: NodeJS.Timeout | undefined;
}

/** How an input answers its broker for the messages that it delivered. */
export interface Answers<Arrival> {
  messageOf(arrival: Arrival): Message;
  confirm(arrival: Arrival): void;
  /** Resolves when the broker was answered for a message that failed. */
  refuse(arrival: Arrival, batch: Batch, failure: GatewayError): Promise<void>;
}

/**
 * Delivers the message of each arrival once, and calls `settle` with the index of each arrival that was answered.
 */
export function deliverArrivals<Arrival>(
  context: InputContext,
  arrivals: readonly Arrival[],
  settle: (index: number) => void,
  answers: Answers<Arrival>,
): void {
  const messages = arrivals.map((arrival) => answers.messageOf(arrival));
  deliverEachOnce(context.deliver, messages, {
    confirm: (index) => {
      const arrival = arrivals[index];
      if (arrival !== undefined) answers.confirm(arrival);
      settle(index);
    },
    fail: (index, failed, error) => {
      const arrival = arrivals[index];
      if (arrival === undefined) return; // there is no such index
      const failure = toGatewayError(error, 500, "Internal error");
      void answers.refuse(arrival, failed, failure).then(() => settle(index));
    },
  });
}

/**
 * Counts how often messages failed in this process, for brokers that do not count. Each message that will be
 * delivered again blocks the stream.
 */
export class GivenBack {
  readonly #context: InputContext;
  readonly #sourceOf: SourceOf;
  readonly #entries = new Map<string, Entry>();

  constructor(context: InputContext, sourceOf: SourceOf) {
    this.#context = context;
    this.#sourceOf = sourceOf;
  }

  /** Records that a message failed; returns the number of its failed attempts in this process. */
  failed(key: string, batch: Batch, failure: GatewayError): number {
    const known = this.#entries.get(key);
    const entry = known ?? this.#begin(batch, failure);
    clearTimeout(entry.forget);
    if (known !== undefined) known.blockage.attempts += 1;
    entry.blockage.failure = failure;
    entry.forget = setTimeout(() => this.settled(key), patience).unref();
    this.#entries.delete(key); // keeps the most recent failure last
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > rememberedLimit && oldest !== undefined) this.settled(oldest);
    return entry.blockage.attempts;
  }

  /**
   * Gives a message up after its last attempt, and resolves with `true`. Otherwise resolves with `false` after a pause,
   * which `closing` ends: the message is then to be returned to the broker. `earlier` is the number of deliveries that
   * the broker counted before this one, which includes those to other readers.
   */
  async givesUp(
    key: string,
    batch: Batch,
    failure: GatewayError,
    closing: AbortSignal,
    earlier = 0,
  ): Promise<boolean> {
    const attempts = Math.max(this.failed(key, batch, failure), earlier + 1);
    const isLast = attempts >= (this.#context.maxAttempts || Number.POSITIVE_INFINITY);
    if (isLast && (await giveUp(this.#context, batch, failure))) {
      this.settled(key);
      return true;
    }
    this.#context.countRetry?.(batch.length);
    await pause(backoffDelay(attempts - 1, redeliveryDelays), closing);
    return false;
  }

  /** Whether no message is remembered, so that callers need not compute a key. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Records that a message will not be delivered again. */
  settled(key: string): void {
    const entry = this.#entries.get(key);
    clearTimeout(entry?.forget);
    entry?.end();
    this.#entries.delete(key);
  }

  /** Forgets all messages. */
  close(): void {
    for (const key of [...this.#entries.keys()]) this.settled(key);
  }

  #begin(batch: Batch, failure: GatewayError): Entry {
    const blockage = blockageOf(batch, failure, this.#sourceOf);
    return { blockage, end: this.#context.beginBlockage(blockage), forget: undefined };
  }
}

/**
 * Returns a key that identifies a message without an id of its own. Two messages with the same `parts` count as one: if
 * one fails, so does the other.
 */
export function messageKey(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("base64");
}

/** The delays before a failed message is returned to its broker, in milliseconds. */
export const redeliveryDelays: BackoffOptions = { first: 200, longest: 30_000 };
