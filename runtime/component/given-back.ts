// Messages that could not be delivered and were returned to their broker, recognised when they are delivered again.

import { createHash } from "node:crypto";
import type { BackoffOptions } from "../concurrency/backoff.ts";
import { type Blockage, blockageOf, type SourceOf } from "../conditions/blockage.ts";
import type { EndCondition } from "../conditions/conditions.ts";
import type { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { InputContext } from "./component.ts";

/** How many are remembered; beyond that, the oldest counts as new when it comes again. */
const rememberedLimit = 4096;

/** Milliseconds after which one that has not come again belongs to another reader. */
const patience = 60_000;

interface Entry {
  readonly blockage: Blockage;
  readonly end: EndCondition;
  forget: NodeJS.Timeout | undefined;
}

/** Counts how often messages failed here, for brokers that do not. Each that is to come again blocks the stream. */
export class GivenBack {
  readonly #context: Pick<InputContext, "beginBlockage">;
  readonly #sourceOf: SourceOf;
  readonly #entries = new Map<string, Entry>();

  constructor(context: Pick<InputContext, "beginBlockage">, sourceOf: SourceOf) {
    this.#context = context;
    this.#sourceOf = sourceOf;
  }

  /** Notes that a message failed; gives how many of its attempts here did. */
  failed(key: string, batch: Batch, failure: GatewayError): number {
    const known = this.#entries.get(key);
    const entry = known ?? this.#begin(batch, failure);
    clearTimeout(entry.forget);
    if (known !== undefined) known.blockage.attempts += 1;
    entry.blockage.failure = failure;
    entry.forget = setTimeout(() => this.settled(key), patience).unref();
    this.#entries.delete(key); // the latest is last
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > rememberedLimit && oldest !== undefined) this.settled(oldest);
    return entry.blockage.attempts;
  }

  /** Whether anything is to come again, so that it is worth to look for a key. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Notes that a message will not come again. */
  settled(key: string): void {
    const entry = this.#entries.get(key);
    clearTimeout(entry?.forget);
    entry?.end();
    this.#entries.delete(key);
  }

  /** Forgets all. */
  close(): void {
    for (const key of [...this.#entries.keys()]) this.settled(key);
  }

  #begin(batch: Batch, failure: GatewayError): Entry {
    const blockage = blockageOf(batch, failure, this.#sourceOf);
    return { blockage, end: this.#context.beginBlockage(blockage), forget: undefined };
  }
}

/**
 * Tells messages apart that have no name of their own. Two that are alike in all of `parts` count as one: what
 * fails for the one fails for the other.
 */
export function messageKey(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("base64");
}

/** The delays before a message that failed is returned to its broker, in milliseconds. */
export const redeliveryDelays: BackoffOptions = { first: 200, longest: 30_000 };
