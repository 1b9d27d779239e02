import type { Resource } from "../component/component.ts";
import type { SyncCache } from "../component/resource.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { type MemoryCacheOptions, memoryCacheDefaults } from "./generated/memory-cache-options.ts";
import { type RistrettoCacheOptions, ristrettoCacheDefaults } from "./generated/ristretto-cache-options.ts";

interface Entry {
  readonly value: Uint8Array;
  /** The time at which it expires, on the clock of `performance.now()`. */
  readonly end: number;
}

/** The entries of each cache: a cache that takes over from another, which may still be in use, shares its entries. */
const entriesOf = /* @__PURE__ */ new WeakMap<Resource, Map<string, Entry>>();

/**
 * A cache in the memory of this process. An expired value is invisible immediately and is removed by the first write
 * after `compaction_interval`; with 0, values never expire. Beyond `max_entries`, the value with the oldest write is
 * removed, so that unused keys cannot fill the memory.
 */
export function memoryCache(options: MemoryCacheOptions): SyncCache {
  const { default_ttl, compaction_interval, max_entries, init_values } = {
    ...memoryCacheDefaults,
    ...options,
  };
  // Ordered by writing: a Map keeps this order if keys are deleted before they are set again.
  let entries = new Map<string, Entry>();
  let compactedAt = performance.now();

  for (const [key, text] of Object.entries(init_values ?? {})) {
    entries.set(key, { value: encodeUtf8(text), end: Number.POSITIVE_INFINITY });
  }

  function find(key: string, now: number): Entry | undefined {
    const entry = entries.get(key);
    return entry !== undefined && entry.end > now ? entry : undefined;
  }

  function compact(now: number): void {
    if (compaction_interval === 0 || now - compactedAt < compaction_interval) return;
    compactedAt = now;
    for (const [key, entry] of entries) if (entry.end <= now) entries.delete(key);
  }

  function write(key: string, value: Uint8Array, ttl: number, now: number): void {
    compact(now);
    entries.delete(key);
    const [oldest] = entries.size >= max_entries ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    entries.set(key, { value, end: compaction_interval === 0 ? Number.POSITIVE_INFINITY : now + ttl });
  }

  const cache: SyncCache = {
    takeOver(other) {
      entries = entriesOf.get(other) ?? entries;
      entriesOf.set(cache, entries);
    },
    get: (key) => find(key, performance.now())?.value,
    set(key, value, ttl = default_ttl) {
      write(key, value, ttl, performance.now());
    },
    add(key, value, ttl = default_ttl) {
      const now = performance.now();
      if (find(key, now) !== undefined) return false;
      write(key, value, ttl, now);
      return true;
    },
    delete(key) {
      entries.delete(key);
    },
  };
  entriesOf.set(cache, entries);
  return cache;
}

/** Milliseconds between removals of expired values. */
const compactionInterval = 60_000;

/** A year, in place of no expiry: the limit on entries removes values before that. */
const noEnd = 365 * 24 * 60 * 60 * 1000;

/**
 * A cache in memory. Unlike the library with this name, it never refuses or loses writes: readers see each written
 * value.
 */
export function ristrettoCache(options: RistrettoCacheOptions): SyncCache {
  const { default_ttl } = { ...ristrettoCacheDefaults, ...options };
  return memoryCache({ default_ttl: default_ttl || noEnd, compaction_interval: compactionInterval });
}
