// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps values in memcached, where other gateways find them, too. Mappings cannot wait for it: `cache` processors can.
 */
export interface MemcachedCacheOptions {
  /**
   * Addresses of the servers. Each key has its server, by the checksum of the key, as in other clients that are given the same list.
   */
  readonly addresses: readonly string[];
  /**
   * Stands in front of every key, so that others can use the same servers.
   */
  readonly prefix?: string;
  /**
   * How long a value is kept that is written without a time of its own, in whole seconds; 0 keeps it for good.
   */
  readonly default_ttl?: number;
  /**
   * What cannot be asked is asked again for a while before it counts as a failure.
   */
  readonly retries?: {
    /**
     * The first pause.
     */
    readonly initial_interval?: number;
    /**
     * The longest pause.
     */
    readonly max_interval?: number;
    /**
     * Time after which no further attempt is made; 0 makes one attempt.
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
