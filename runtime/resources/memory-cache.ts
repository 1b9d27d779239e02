import type { Resource } from "../component/component.ts";
import type { SyncCache } from "../component/resource.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { type MemoryCacheOptions, memoryCacheDefaults } from "./generated/memory-cache-options.ts";
import { type RistrettoCacheOptions, ristrettoCacheDefaults } from "./generated/ristretto-cache-options.ts";

interface Entry {
  readonly value: Uint8Array;
  /** When it is over, on the clock of `performance.now()`. */
  readonly end: number;
}

/** What each cache holds: one that takes over from another shares it with that one, which may be in use for a while. */
const entriesOf = /* @__PURE__ */ new WeakMap<Resource, Map<string, Entry>>();

/**
 * Values in the memory of this process. A value past its time is gone for readers at once and is cleared out
 * by the first write after `compaction_interval`; with 0 values stay for good. Beyond `max_entries` the one
 * written longest ago goes, so that unused keys cannot fill the memory.
 */
export function memoryCache(options: MemoryCacheOptions): SyncCache {
  const { default_ttl, compaction_interval, max_entries, init_values } = {
    ...memoryCacheDefaults,
    ...options,
  };
  // In the order of writing, which is what a Map keeps as long as keys are deleted before they are set again.
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

/** Milliseconds between clearings of values past their time. */
const compactionInterval = 60_000;

/** A year stands for no end: values beyond the number of entries go before. */
const noEnd = 365 * 24 * 60 * 60 * 1000;

/** Values in memory. Unlike the library of that name it neither refuses writes nor loses some: readers see what was written. */
export function ristrettoCache(options: RistrettoCacheOptions): SyncCache {
  const { default_ttl } = { ...ristrettoCacheDefaults, ...options };
  return memoryCache({ default_ttl: default_ttl || noEnd, compaction_interval: compactionInterval });
}
