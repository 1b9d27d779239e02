// APIs that are served until a time: `info.expiration`.

import { GatewayError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import type { Protection } from "../protection.ts";

export interface ExpirationOptions {
  /** A date, or a date and a time, of ISO 8601; without an offset it is UTC. */
  readonly at: string;
}

/** Refuses every request from that time on with 403. Throws an `EnvironmentError` for what is not a time. */
export function expiration({ at }: ExpirationOptions): Protection {
  const end = readTime(at);
  if (Number.isNaN(end))
    throw new EnvironmentError(["info.expiration is not a time such as 2030-01-31T12:00:00Z"]);
  return {
    place: "ip-access",
    start: () => ({
      check(call) {
        if (Date.now() >= end) return new GatewayError(403, "API has expired", { reason: "api_expired" });
        call.servedUntil = end;
        return "next";
      },
    }),
  };
}

/** Milliseconds since 1970; a time without an offset would otherwise be that of the machine. */
function readTime(text: string): number {
  const [date = "", time] = text.split(/[T ]/);
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return Number.NaN;
  if (time === undefined) return Date.parse(`${date}T00:00Z`);
  return Date.parse(`${date}T${time}${/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? "" : "Z"}`);
}
