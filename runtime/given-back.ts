// Messages that could not be delivered and were given back to their broker, recognised when they come again.

import { createHash } from "node:crypto";
import type { InputContext } from "./component.ts";

/** How many are remembered; beyond that, the oldest counts as new when it comes again. */
const rememberedLimit = 4096;

/** Milliseconds after which one that has not come again is somebody else's. */
const patience = 60_000;

interface Entry {
  attempts: number;
  forget: NodeJS.Timeout | undefined;
}

/**
 * Counts how often messages failed here, for brokers that do not, and tells the stream that it is blocked while
 * one that failed is to come again.
 */
export class GivenBack {
  readonly #context: Pick<InputContext, "log" | "reportBlocked">;
  readonly #entries = new Map<string, Entry>();

  constructor(context: Pick<InputContext, "log" | "reportBlocked">) {
    this.#context = context;
  }

  /** Notes that a message failed; gives how many of its attempts here did. */
  failed(key: string): number {
    const entry = this.#entries.get(key) ?? { attempts: 0, forget: undefined };
    clearTimeout(entry.forget);
    entry.attempts += 1;
    entry.forget = setTimeout(() => this.settled(key), patience).unref();
    this.#entries.delete(key); // the latest is last
    this.#entries.set(key, entry);
    if (this.#entries.size === 1 && entry.attempts === 1) this.#tell(true);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > rememberedLimit && oldest !== undefined) this.settled(oldest);
    return entry.attempts;
  }

  /** Whether anything is to come again, so that it is worth to look for a key. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Notes that a message will not come again. */
  settled(key: string): void {
    clearTimeout(this.#entries.get(key)?.forget);
    if (this.#entries.delete(key) && this.#entries.size === 0) this.#tell(false);
  }

  /** Forgets all; tells nobody. */
  close(): void {
    for (const { forget } of this.#entries.values()) clearTimeout(forget);
    this.#entries.clear();
  }

  #tell(blocked: boolean): void {
    this.#context.reportBlocked(blocked);
    if (blocked)
      this.#context.log.warn("delivery failed, messages are given back until somebody can deliver them");
    else this.#context.log.info("no failed delivery waits any more");
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

/** Milliseconds before a message is given back that failed so often: doubles from 200 ms to 30 s, spread out. */
export function pauseBeforeGivingBack(attempts: number): number {
  const step = Math.min(200 * 2 ** (attempts - 1), 30_000);
  return step * (0.5 + Math.random() / 2);
}
