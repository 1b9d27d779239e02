// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * How the portal delivers events to those who have subscribed to them.
 */
export interface WebhooksOptions {
  /**
   * Whether they may go to private, link-local and loopback addresses, which only the gateway can reach.
   */
  readonly allow_private?: boolean;
  /**
   * Time for one attempt, the answer included.
   */
  readonly timeout?: number;
  /**
   * Attempts after which a delivery is given up and becomes a dead one.
   */
  readonly max_attempts?: number;
  /**
   * Pause after the first failed attempt; each further one doubles it.
   */
  readonly retry_period?: number;
  /**
   * Longest pause between attempts, but for those that a receiver asks for.
   */
  readonly max_retry_backoff?: number;
  /**
   * Subscriptions that a gateway delivers to at once; each gets its events one after another.
   */
  readonly max_in_flight?: number;
  /**
   * Deliveries that may wait for one subscription; further ones become dead at once.
   */
  readonly max_waiting?: number;
  /**
   * Dead deliveries that are kept of one subscription, the newest ones.
   */
  readonly max_dead?: number;
  /**
   * How long dead deliveries are kept.
   */
  readonly dead_retention?: number;
}

/** What the fields hold that a document leaves out. */
export const webhooksDefaults = {
  allow_private: false,
  timeout: 15000,
  max_attempts: 12,
  retry_period: 1000,
  max_retry_backoff: 600000,
  max_in_flight: 64,
  max_waiting: 10000,
  max_dead: 1000,
  dead_retention: 1209600000
} as const satisfies Partial<WebhooksOptions>;
