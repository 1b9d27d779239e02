// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores values in memcached, which several gateways can share. Mappings cannot wait for it; `cache` processors can.
 */
export interface MemcachedCacheOptions {
  /**
   * Addresses of the servers. The checksum of a key selects its server, as in other clients with the same list.
   */
  readonly addresses: readonly string[];
  /**
   * Prefix of every key, so that others can use the same servers.
   */
  readonly prefix?: string;
  /**
   * Default time to live of values, in whole seconds; 0 for no expiry.
   */
  readonly default_ttl?: number;
  /**
   * Retries of requests that fail, before they count as a failure.
   */
  readonly retries?: {
    /**
     * First delay.
     */
    readonly initial_interval?: number;
    /**
     * Maximum delay.
     */
    readonly max_interval?: number;
    /**
     * Time after which no further attempt is made; 0 for a single attempt.
     */
    readonly max_elapsed_time?: number;
  };
}

/** What the fields hold that a document leaves out. */
export const memcachedCacheDefaults = {
  prefix: "",
  default_ttl: 300000,
  retries: {
    initial_interval: 1000,
    max_interval: 5000,
    max_elapsed_time: 30000
  }
} as const satisfies Partial<MemcachedCacheOptions>;
