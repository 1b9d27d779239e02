// Caches that hold a limited number of values and remove the least recently used one.

import type { Resource } from "../component/component.ts";
import type { SyncCache } from "../component/resource.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { type LruCacheOptions, lruCacheDefaults } from "./generated/lru-cache-options.ts";
import { type TtlruCacheOptions, ttlruCacheDefaults } from "./generated/ttlru-cache-options.ts";

interface Entry {
  readonly value: Uint8Array;
  /** The time that the value is kept, in milliseconds. */
  readonly ttl: number;
  /** The time at which it expires, on the clock of `performance.now()`. */
  end: number;
}

interface LruOptions {
  readonly cap: number;
  /** Milliseconds, for values written without a time of their own. */
  readonly defaultTtl: number;
  /** Whether reading a value restarts its time. */
  readonly resetsOnRead: boolean;
  readonly initValues: Readonly<Record<string, string>>;
}

/** Returns a cache whose values do not expire; the time passed to a write has no effect. */
export function lruCache(options: LruCacheOptions): SyncCache {
  const { cap, init_values = {} } = { ...lruCacheDefaults, ...options };
  const forever = Number.POSITIVE_INFINITY;
  const cache = createLru({ cap, defaultTtl: forever, resetsOnRead: false, initValues: init_values });
  return { ...cache, set: (key, value) => cache.set(key, value), add: (key, value) => cache.add(key, value) };
}

/** Returns a cache whose values expire, unless they are read before that and `without_reset` is false. */
export function ttlruCache(options: TtlruCacheOptions): SyncCache {
  const { cap, default_ttl, init_values = {}, without_reset } = { ...ttlruCacheDefaults, ...options };
  return createLru({ cap, defaultTtl: default_ttl, resetsOnRead: !without_reset, initValues: init_values });
}

/** The entries of each cache, for the cache of a later version that takes over from it. */
const entriesOf = /* @__PURE__ */ new WeakMap<Required<Resource>["takeOver"], Map<string, Entry>>();

function createLru({ cap, defaultTtl, resetsOnRead, initValues }: LruOptions): SyncCache {
  // Ordered by use: a Map keeps the order of insertion, and a used key is removed and inserted again.
  let entries = new Map<string, Entry>();

  function find(key: string, now: number): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (entry.end <= now) return undefined;
    entries.set(key, entry);
    return entry;
  }

  function write(key: string, value: Uint8Array, ttl: number, now: number): void {
    entries.delete(key);
    const [oldest] = entries.size >= cap ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    entries.set(key, { value, ttl, end: now + ttl });
  }

  for (const [key, text] of Object.entries(initValues)) {
    write(key, encodeUtf8(text), defaultTtl, performance.now());
  }

  const takeOver = (other: Resource): void => {
    entries = (other.takeOver && entriesOf.get(other.takeOver)) ?? entries;
    entriesOf.set(takeOver, entries);
  };
  entriesOf.set(takeOver, entries);
  return {
    takeOver,
    get(key) {
      const now = performance.now();
      const entry = find(key, now);
      if (entry !== undefined && resetsOnRead) entry.end = now + entry.ttl;
      return entry?.value;
    },
    set: (key, value, ttl = defaultTtl) => write(key, value, ttl, performance.now()),
    add(key, value, ttl = defaultTtl) {
      const now = performance.now();
      if (find(key, now) !== undefined) return false;
      write(key, value, ttl, now);
      return true;
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
