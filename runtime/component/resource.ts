// The interfaces of caches and rate limits.

import type { Resource } from "./component.ts";

/** A value, available immediately or later: a value in memory needs no turn of the event loop. */
export type Eventually<T> = T | Promise<T>;

/**
 * Values by key, each kept for a limited time. A cache outside this process rejects with a `GatewayError` if it
 * cannot be reached; then nothing is known, not even whether the key is absent.
 */
export interface Cache extends Resource {
  /** Returns the value; `undefined` if there is none or it has expired. */
  get(key: string): Eventually<Uint8Array | undefined>;
  /** Writes a value and replaces an existing one. `ttl`: milliseconds, instead of the cache's own. */
  set(key: string, value: Uint8Array, ttl?: number): Eventually<void>;
  /** Writes a value if the key has none; otherwise keeps the existing value and returns false. */
  add(key: string, value: Uint8Array, ttl?: number): Eventually<boolean>;
  /** Removes a value if it exists. */
  delete(key: string): Eventually<void>;
}

/** A synchronous cache, as mappings require it. */
export interface SyncCache extends Cache {
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array, ttl?: number): void;
  add(key: string, value: Uint8Array, ttl?: number): boolean;
  delete(key: string): void;
}

/** Decides when an operation may proceed. */
export interface RateLimit extends Resource {
  /**
   * Returns 0 if the operation may proceed now; it is then counted with its `bytes`. Otherwise returns the
   * milliseconds after which to ask again, and counts nothing.
   */
  take(bytes: number): Eventually<number>;
}
