// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * How the portal delivers events to webhook subscriptions.
 */
export interface WebhooksOptions {
  /**
   * Whether webhooks may be sent to private, link-local and loopback addresses, which only the gateway can reach.
   */
  readonly allow_private?: boolean;
  /**
   * Timeout of one attempt, including the response.
   */
  readonly timeout?: number;
  /**
   * Number of attempts after which a delivery is given up and becomes a dead delivery.
   */
  readonly max_attempts?: number;
  /**
   * Pause after the first failed attempt. The pause doubles after each further one.
   */
  readonly retry_period?: number;
  /**
   * Maximum pause between attempts, except for pauses that a receiver requests.
   */
  readonly max_retry_backoff?: number;
  /**
   * Maximum number of subscriptions that a gateway delivers to at once. Each subscription gets its events one after another.
   */
  readonly max_in_flight?: number;
  /**
   * Maximum number of deliveries waiting for one subscription. Further ones become dead deliveries at once.
   */
  readonly max_waiting?: number;
  /**
   * Maximum number of dead deliveries kept for one subscription. The newest ones are kept.
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
