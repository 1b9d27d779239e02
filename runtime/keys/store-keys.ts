// Keys and policies of the gateway's store, beside those of `gateway.yaml`.

import type { Eventually } from "../component/resource.ts";
import { BoundedCache } from "../concurrency/bounded-cache.ts";
import { EnvironmentError } from "../process/environment.ts";
import type { Store } from "../store/store.ts";
import { configuredKeys } from "./configured-keys.ts";
import type { AccessOptions } from "./generated/access-options.ts";
import { hashUser } from "./key-hash.ts";
import type { FoundKey, Keys } from "./keys.ts";
import { type LastingRecords, lastingRecords } from "./lasting-records.ts";
import type { KeyRecord, KeyStore, PolicyRecord } from "./records.ts";
import { createSession } from "./sessions.ts";
import { readKey, readPolicy } from "./stored-records.ts";

/**
 * The keys of `gateway.yaml` and of the store that the gateway is started with; those of `gateway.yaml` come first. Keys
 * of either may name policies of both.
 */
export function storeKeys(options: AccessOptions): Keys {
  const configured = configuredKeys(options);
  const policies = configured.policies ?? new Map<string, PolicyRecord>();
  let keys: Keys | undefined;
  let lasting: LastingRecords | undefined;
  const ofStore = () => {
    if (keys === undefined) throw new EnvironmentError(["the keys of the store are asked before it is open"]);
    return keys;
  };
  return {
    policies,
    findKey: (hash) => ofStore().findKey(hash),
    findUser: (name) => ofStore().findUser(name),
    createSession: (id, record) => ofStore().createSession(id, record),
    countChanges: () => ofStore().countChanges?.() ?? 0,
    get trouble() {
      return lasting?.trouble;
    },
    metrics: () => lasting?.metrics() ?? [],
    async start({ store, storeGrace }) {
      if (store === undefined)
        throw new EnvironmentError(["keys of a store are asked for, and there is none"]);
      lasting = lastingRecords(recordsOf(store), {
        grace: storeGrace,
        awaySince: () => store.awaySince,
        unwritable: () => store.unwritable,
      });
      keys = storedKeys(together(options, policies, lasting));
    },
    async close() {
      await keys?.close?.();
      lasting?.close();
    },
  };
}

/** Records that stay the same before those that change. */
function together(
  { keys = [] }: AccessOptions,
  policies: ReadonlyMap<string, PolicyRecord>,
  store: KeyStore,
): KeyStore {
  const byHash = new Map(keys.map((key) => [key.key_hash?.toLowerCase() ?? "", key]));
  const byName = new Map(keys.map((key) => [key.username ?? "", key]));
  const known = (found: KeyRecord | undefined, name: string) => (name === "" ? undefined : found);
  return {
    ...store,
    findKey: async (hash) => known(byHash.get(hash), hash) ?? store.findKey(hash),
    findUser: async (name) => known(byName.get(name), name) ?? store.findUser(name),
    findPolicy: async (id) => policies.get(id) ?? store.findPolicy(id),
  };
}

/** The tables of a store as keys are looked up in. */
function recordsOf(store: Store): KeyStore {
  const find = (column: "key_hash" | "user_name", value: string) =>
    store.read(async (connection) => {
      const row = await connection
        .selectFrom("keys")
        .select("record")
        .where(column, "=", value)
        .executeTakeFirst();
      return row && readKey(row.record);
    });
  return {
    findKey: (hash) => find("key_hash", hash),
    findUser: (name) => find("user_name", name),
    findPolicy: (id) =>
      store.read(async (connection) => {
        const row = await connection
          .selectFrom("policies")
          .select("record")
          .where("id", "=", id)
          .executeTakeFirst();
        return row && readPolicy(row.record);
      }),
    onChange: (listener) => store.onChange(["keys", "policies"], listener),
  };
}

/** Milliseconds that what was found counts: a revoked key is refused within a second. */
const longestAge = 1_000;
/** Keys remembered at once, and keys remembered not to be there: guessing must not drive out the others. */
const mostFound = 10_000;
const mostMissing = 1_000;

interface StoredKeysOptions {
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
    countChanges: () => changes,
    async close() {
      stop?.();
    },
  };
}
