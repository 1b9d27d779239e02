// Keys and policies of a store, kept for a moment so that not every request asks it.

import type { Eventually } from "../component/resource.ts";
import { BoundedCache } from "../concurrency/bounded-cache.ts";
import { hashUser } from "./key-hash.ts";
import type { FoundKey, Keys } from "./keys.ts";
import type { KeyRecord, KeyStore } from "./records.ts";
import { createSession } from "./sessions.ts";

/** Milliseconds that what was found counts: within a second a key that was taken back lets nobody in. */
const longestAge = 1_000;
/** Keys remembered at once, and keys remembered not to be there: guessing must not drive out the others. */
const mostFound = 10_000;
const mostMissing = 1_000;

export interface StoredKeysOptions {
  /** Milliseconds, as `performance.now` gives them. */
  readonly now?: () => number;
}

/** The keys of a store. One that is asked for many times at once is looked up once. */
export function storedKeys(store: KeyStore, { now = () => performance.now() }: StoredKeysOptions = {}): Keys {
  const found = new BoundedCache<FoundKey>(mostFound, longestAge, now);
  const missing = new BoundedCache<true>(mostMissing, longestAge, now);
  const asked = new Map<string, Promise<FoundKey | undefined>>();
  /** Grows with each change, so that what was read before one is not kept after it. */
  let changes = 0;
  const stop = store.onChange?.(() => {
    changes += 1;
    found.clear();
    missing.clear();
    asked.clear();
  });

  async function sessionOf(id: string, record: KeyRecord): Promise<FoundKey["session"]> {
    const policies = await Promise.all((record.apply_policies ?? []).map((name) => store.findPolicy(name)));
    return createSession(
      id,
      record,
      policies.filter((policy) => policy !== undefined),
    );
  }

  function find(
    name: string,
    id: string,
    ask: () => Promise<KeyRecord | undefined>,
  ): Eventually<FoundKey | undefined> {
    const known = found.get(name);
    if (known !== undefined || missing.get(name)) return known;
    const waiting = asked.get(name);
    if (waiting !== undefined) return waiting;
    const before = changes;
    const reading = (async () => {
      const record = await ask();
      return record && { record, session: await sessionOf(id, record) };
    })();
    const remembered = reading.then(
      (key) => {
        if (asked.get(name) === remembered) asked.delete(name);
        if (changes !== before) return key;
        if (key === undefined) missing.set(name, true);
        else found.set(name, key);
        return key;
      },
      (error: unknown) => {
        if (asked.get(name) === remembered) asked.delete(name);
        throw error;
      },
    );
    asked.set(name, remembered);
    return remembered;
  }

  return {
    findKey: (hash) => find(`key ${hash}`, hash, () => store.findKey(hash)),
    findUser: (name) => find(`user ${name}`, hashUser(name), () => store.findUser(name)),
    createSession: sessionOf,
    async close() {
      stop?.();
    },
  };
}
