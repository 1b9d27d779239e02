// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { RateLimit } from "../../component/resource.ts";

/**
 * Holds each message back until a rate limit lets it through.
 */
export interface RateLimitOptions {
  /**
   * Label of an entry of `rate_limit_resources`.
   */
  readonly resource: RateLimit;
}
