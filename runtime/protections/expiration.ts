// APIs that are served until a given time: `info.expiration`.

import { GatewayError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import type { Protection } from "../protection.ts";

export interface ExpirationOptions {
  /** An ISO 8601 date, or date and time; UTC if it has no offset. */
  readonly at: string;
}

/** Refuses every request with 403 after that time. Throws an `EnvironmentError` if it is not a time. */
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

/** Returns milliseconds since 1970. Adds UTC to a time without an offset, which would otherwise be in local time. */
function readTime(text: string): number {
  const [date = "", time] = text.split(/[T ]/);
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return Number.NaN;
  if (time === undefined) return Date.parse(`${date}T00:00Z`);
  return Date.parse(`${date}T${time}${/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? "" : "Z"}`);
}
