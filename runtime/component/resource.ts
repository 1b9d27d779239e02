// Caches and rate limits.

import type { Resource } from "./component.ts";

/** A value, now or later: what is in memory costs no turn of the event loop. */
export type Eventually<T> = T | Promise<T>;

/**
 * Values by key, each kept for a time. Whatever asks something else than this process rejects with a
 * `GatewayError` when that cannot be asked; nothing is known then, not even that the key is absent.
 */
export interface Cache extends Resource {
  /** The value; `undefined` where there is none, or no longer. */
  get(key: string): Eventually<Uint8Array | undefined>;
  /** Writes a value, whatever was there. `ttl` in milliseconds, in place of the cache's own. */
  set(key: string, value: Uint8Array, ttl?: number): Eventually<void>;
  /** Writes a value where there is none; false where there was one, which stays. */
  add(key: string, value: Uint8Array, ttl?: number): Eventually<boolean>;
  /** Removes a value, if it is there. */
  delete(key: string): Eventually<void>;
}

/** A cache that answers at once, as mappings need it. */
export interface SyncCache extends Cache {
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array, ttl?: number): void;
  add(key: string, value: Uint8Array, ttl?: number): boolean;
  delete(key: string): void;
}

/** Says when something may happen. */
export interface RateLimit extends Resource {
  /**
   * 0: it may happen now, and is counted with its `bytes`. Else the milliseconds after which to ask again;
   * nothing was counted.
   */
  take(bytes: number): Eventually<number>;
}
