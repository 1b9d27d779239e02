import type { ComponentContext } from "../component/component.ts";
import { toGatewayError } from "../errors.ts";

/**
 * Tells of a failure that leaves the message as it is: what failed, and why only below the level that is on by
 * default, since the reason may quote the message.
 */
export function tellFailure({ log }: ComponentContext, what: string, error: unknown): void {
  log.warn(`${what} could not be computed`);
  log.debug(`why ${what} could not be computed`, { reason: toGatewayError(error, 500, "unknown").message });
}
