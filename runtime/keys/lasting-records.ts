// Records of a store that go on for a while when the store is away.

import { BoundedCache } from "../concurrency/bounded-cache.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Trouble } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import type { MetricFamily } from "../process/metrics.ts";
import type { KeyStore } from "./records.ts";

/** Records that were found, remembered at once. */
const mostRecords = 10_000;
/** Milliseconds that a store has to answer about a record that is known: one that hangs is as good as away. */
const patience = 1_000;

export interface LastingOptions {
  /** Milliseconds that what was found counts while the store is away. */
  readonly grace: number;
  /** Since when the store has not answered, by `now`; `undefined` while it does. */
  readonly awaySince: () => number | undefined;
  /** Why the store takes no writes; `undefined` while it does. */
  readonly unwritable?: () => string | undefined;
  /** Milliseconds, as `performance.now` gives them. */
  readonly now?: () => number;
}

/** A store whose records outlast it, and how that is reported to operators. */
export interface LastingRecords extends KeyStore {
  readonly trouble: Trouble | undefined;
  metrics(): readonly MetricFamily[];
  close(): void;
}

/**
 * The records of `store`. One that was found since the last change counts for `grace` when the store cannot be asked; for all
 * others a question then rejects. Nothing is written in the meantime, so there is nothing to make good when it is back.
 */
export function lastingRecords(store: KeyStore, options: LastingOptions): LastingRecords {
  const { grace, awaySince, unwritable = () => undefined, now = () => performance.now() } = options;
  const kept = new BoundedCache<object>(mostRecords, Number.POSITIVE_INFINITY, now);
  let changes = 0;
  const stop = store.onChange?.(() => {
    // A record may have been taken back: it must not come alive again.
    changes += 1;
    kept.clear();
  });
  const left = () => grace - (now() - (awaySince() ?? now()));

  async function find<T extends object>(
    name: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const known = kept.get(name) as T | undefined; // what is kept under a name was found by the same question
    if (known !== undefined && awaySince() !== undefined && left() > 0) return known;
    const before = changes;
    try {
      const found = await (known === undefined ? ask() : soon(ask()));
      if (changes === before && found !== undefined) kept.set(name, found);
      if (changes === before && found === undefined) kept.delete(name);
      return found;
    } catch (error) {
      const isAway = error instanceof GatewayError && error.status === 503;
      if (known !== undefined && isAway && changes === before && left() > 0) return known;
      throw error;
    }
  }

  return {
    findKey: (hash) => find(`key ${hash}`, () => store.findKey(hash)),
    findUser: (name) => find(`user ${name}`, () => store.findUser(name)),
    findPolicy: (id) => find(`policy ${id}`, () => store.findPolicy(id)),
    onChange: (listener) => store.onChange?.(listener) ?? (() => undefined),
    get trouble() {
      if (awaySince() === undefined) {
        const reason = unwritable();
        return reason === undefined
          ? undefined
          : { text: `The store takes no writes: ${reason}`, isRefusing: false };
      }
      const seconds = Math.ceil(left() / 1_000);
      return seconds > 0
        ? { text: `The store is away: keys that are known are accepted for ${seconds} s`, isRefusing: false }
        : { text: "The store is away: its keys are refused", isRefusing: true };
    },
    metrics: () => [
      {
        name: "sluice_store_up",
        kind: "gauge",
        help: "Whether the store, where keys are kept, answers",
        series: [{ labels: [], value: awaySince() === undefined ? 1 : 0 }],
      },
    ],
    close: () => stop?.(),
  };
}

/** The answer, or a 503 where it takes too long. */
async function soon<T>(asked: Promise<T>): Promise<T> {
  if (await settlesWithin(asked, patience)) return asked;
  throw new GatewayError(503, "The store is not available", { retryAfter: 1 });
}
