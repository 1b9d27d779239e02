// Keys and policies in the gateway's store, in addition to those of `gateway.yaml`. Known ones stay valid for a while
// when the store is not available.

import type { Eventually } from "../component/resource.ts";
import { BoundedCache } from "../concurrency/bounded-cache.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Trouble } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import type { MetricFamily } from "../process/metrics.ts";
import type { Store } from "../store/store.ts";
import { configuredKeys } from "./configured-keys.ts";
import type { AccessOptions } from "./generated/access-options.ts";
import { hashUser } from "./key-hash.ts";
import type { FoundKey, Keys } from "./keys.ts";
import type { KeyRecord, KeyStore, PolicyRecord, RecordKind } from "./records.ts";
import { createSession } from "./sessions.ts";
import { readKey, readPolicy } from "./stored-records.ts";

/** The maximum number of cached records. */
const mostRecords = 10_000;
/**
 * The maximum number of records, the youngest ones, that are read again after a change, and the delay in milliseconds.
 */
const mostReadAgain = 1_000;
const readAgainAfter = 100;
const kinds: readonly RecordKind[] = ["policy", "key", "user"];
/**
 * The timeout in milliseconds for reading a known record, and any record of a store that is known not to respond: a
 * store that hangs counts as not available.
 */
const patience = 1_000;

interface LastingOptions {
  /** Milliseconds that cached records stay valid while the store is not available. */
  readonly grace: number;
  /** Returns the time, by `now`, since which the store has not responded; `undefined` if it responds. */
  readonly unreachableSince: () => number | undefined;
  /** Returns the reason why the store accepts no writes; `undefined` if it does. */
  readonly unwritable?: () => string | undefined;
  /** Returns a time in milliseconds, like `performance.now`. */
  readonly now?: () => number;
}

/** A store whose records stay valid when it is not available, with its state for operators. */
interface LastingRecords extends KeyStore {
  readonly trouble: Trouble | undefined;
  metrics(): readonly MetricFamily[];
  close(): void;
}

/**
 * Caches the records of `store`. If the store is not available, records found since the last change stay valid for
 * `grace`; lookups of all others reject. After a change, records found before it are read again, so that they do not
 * become unknown. Nothing is written while the store is not available, so there is nothing to catch up on.
 */
export function lastingRecords(store: KeyStore, options: LastingOptions): LastingRecords {
  const { grace, unreachableSince, unwritable = () => undefined, now = () => performance.now() } = options;
  const kept = new BoundedCache<object>(mostRecords, Number.POSITIVE_INFINITY, now);
  let changes = 0;
  /** Names of records that were known before a change. */
  let stale: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const readLater = () => {
    timer ??= setTimeout(() => void readAgain(), readAgainAfter).unref();
  };
  const stop = store.onChange?.(() => {
    // A record may have been revoked: it must not become valid again.
    changes += 1;
    if (store.findAll !== undefined && grace > 0) {
      stale = [...new Set([...stale, ...kept.names()])].slice(-mostReadAgain);
      readLater();
    }
    kept.clear();
  });

  async function readAgain(): Promise<void> {
    const [before, names] = [changes, stale];
    try {
      for (const kind of kinds) {
        const wanted = names.flatMap((name) =>
          name.startsWith(`${kind} `) ? [name.slice(kind.length + 1)] : [],
        );
        const found = wanted.length === 0 ? undefined : await store.findAll?.(kind, wanted);
        if (changes !== before) break;
        for (const [name, record] of found ?? []) kept.set(`${kind} ${name}`, record);
      }
      if (changes === before) stale = [];
    } catch {
      // Records that the store did not return stay unknown until they are requested.
      stale = [];
    }
    timer = undefined;
    if (stale.length > 0) readLater();
  }

  const left = () => grace - (now() - (unreachableSince() ?? now()));

  async function find<T extends object>(
    name: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const known = kept.get(name) as T | undefined; // each name is used for one type of record only
    if (known !== undefined && unreachableSince() !== undefined && left() > 0) return known;
    const before = changes;
    try {
      const found = await (known === undefined && unreachableSince() === undefined ? ask() : soon(ask()));
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
      if (unreachableSince() === undefined) {
        const reason = unwritable();
        return reason === undefined
          ? undefined
          : { text: `The store accepts no writes: ${reason}`, isRefusing: false };
      }
      const seconds = Math.ceil(left() / 1_000);
      return seconds > 0
        ? { text: `The store is unavailable: known keys are accepted for ${seconds} s`, isRefusing: false }
        : { text: "The store is unavailable: its keys are rejected", isRefusing: true };
    },
    metrics: () => [
      {
        name: "sluice_store_up",
        kind: "gauge",
        help: "Whether the store of keys is available",
        series: [{ labels: [], value: unreachableSince() === undefined ? 1 : 0 }],
      },
      {
        name: "sluice_store_writable",
        kind: "gauge",
        help: "Whether the store accepts writes, which it does not on a full disk",
        series: [{ labels: [], value: unwritable() === undefined ? 1 : 0 }],
      },
    ],
    close() {
      stop?.();
      clearTimeout(timer);
    },
  };
}

/** Returns the result, or rejects with a 503 if it takes too long. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  if (await settlesWithin(answer, patience)) return answer;
  throw new GatewayError(503, "The store is not available", { retryAfter: 1 });
}

/**
 * Returns the keys of `gateway.yaml` and of the gateway's store; those of `gateway.yaml` take precedence. Keys of
 * either may use policies of both.
 */
export function storeKeys(options: AccessOptions): Keys {
  const configured = configuredKeys(options);
  const policies = configured.policies ?? new Map<string, PolicyRecord>();
  let keys: Keys | undefined;
  let lasting: LastingRecords | undefined;
  const ofStore = () => {
    if (keys === undefined) throw new EnvironmentError(["keys of the store are read before it is open"]);
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
        throw new EnvironmentError(["keys of a store are requested, and there is none"]);
      lasting = lastingRecords(recordsOf(store), {
        grace: storeGrace,
        unreachableSince: () => store.unreachableSince,
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

/** Returns a store that finds fixed records before those of `store`. */
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

/** The maximum number of policies that are kept by their text. */
const mostPolicies = 1_000;

/** Returns the tables of a store as a store of key records. */
function recordsOf(store: Store): KeyStore {
  const policies = new BoundedCache<PolicyRecord>(mostPolicies, Number.POSITIVE_INFINITY);
  /** Equal texts are one record: its patterns are compiled once, and keys share what it grants. */
  const policyOf = (text: string) => {
    const known = policies.get(text);
    if (known !== undefined) return known;
    const policy = readPolicy(text);
    policies.set(text, policy);
    return policy;
  };
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
    ...(store.isRemote && { findAll: (kind, names) => findAll(store, kind, names, policyOf) }),
    findPolicy: (id) =>
      store.read(async (connection) => {
        const row = await connection
          .selectFrom("policies")
          .select("record")
          .where("id", "=", id)
          .executeTakeFirst();
        return row && policyOf(row.record);
      }),
    onChange: (listener) => store.onChange(["keys", "policies"], listener),
  };
}

/** Returns the records of a kind by name. */
function findAll(
  store: Store,
  kind: RecordKind,
  names: readonly string[],
  policyOf: (text: string) => PolicyRecord,
): Promise<ReadonlyMap<string, object>> {
  return store.read(async (connection) => {
    if (kind === "policy") {
      const rows = await connection
        .selectFrom("policies")
        .select(["id", "record"])
        .where("id", "in", names)
        .execute();
      return new Map(rows.map(({ id, record }) => [id, policyOf(record)]));
    }
    const column = kind === "key" ? "key_hash" : "user_name";
    const rows = await connection
      .selectFrom("keys")
      .select(["key_hash", "user_name", "record"])
      .where(column, "in", names)
      .execute();
    return new Map(rows.map(({ record, ...named }) => [named[column] ?? "", readKey(record)]));
  });
}

/** Milliseconds that results stay valid: a revoked key is refused within a second. */
const longestAge = 1_000;
/** The maximum numbers of cached keys and of cached misses. They are separate, so that guesses do not evict keys. */
const mostFound = 10_000;
const mostMissing = 1_000;

interface StoredKeysOptions {
  /** Returns a time in milliseconds, like `performance.now`. */
  readonly now?: () => number;
}

/** Returns the keys of a store. Concurrent lookups of the same key share one query. */
export function storedKeys(store: KeyStore, { now = () => performance.now() }: StoredKeysOptions = {}): Keys {
  const found = new BoundedCache<FoundKey>(mostFound, longestAge, now);
  const missing = new BoundedCache<true>(mostMissing, longestAge, now);
  const pending = new Map<string, Promise<FoundKey | undefined>>();
  /** Incremented by each change, so that results from before a change are not cached after it. */
  let changes = 0;
  const stop = store.onChange?.(() => {
    changes += 1;
    found.clear();
    missing.clear();
    pending.clear();
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
    const waiting = pending.get(name);
    if (waiting !== undefined) return waiting;
    const before = changes;
    const reading = (async () => {
      const record = await ask();
      return record && { record, session: await sessionOf(id, record) };
    })();
    const remembered = reading.then(
      (key) => {
        if (pending.get(name) === remembered) pending.delete(name);
        if (changes !== before) return key;
        if (key === undefined) missing.set(name, true);
        else found.set(name, key);
        return key;
      },
      (error: unknown) => {
        if (pending.get(name) === remembered) pending.delete(name);
        throw error;
      },
    );
    pending.set(name, remembered);
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
