import { type GatewayError, toGatewayError } from "../errors.ts";

/** What a message is flagged with whose processor cannot reach its cache. */
export function cacheFailure(error: unknown): GatewayError {
  return toGatewayError(error, 502, "Cache unavailable");
}
