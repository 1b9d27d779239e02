// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { RateLimit } from "../../component/resource.ts";

/**
 * Delays each message until a rate limit allows it.
 */
export interface RateLimitOptions {
  /**
   * Label of an entry of `rate_limit_resources`.
   */
  readonly resource: RateLimit;
}
