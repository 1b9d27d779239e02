// Writes a log line for every connection attempt.

import type { Logger } from "../process/log.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { AnalyticsListener } from "./listener.ts";

/** Returns a listener that logs attempts on APIs with logging enabled, at level `info`, when they have ended. */
export function accessLog(): AnalyticsListener {
  let log: Logger | undefined;
  return {
    attempt:
      ({ request, attempt }) =>
      (record) => {
        if (attempt.call?.api?.api.definition.logged === true && !record.isPassedOn) {
          const fields = { ...fieldsOf(record), ...clientOf(request.headers) };
          if (log?.record === undefined) log?.info("request", fields);
          else log.record("request", fields);
        }
      },
    start(gateway) {
      log = gateway.log;
    },
  };
}

/**
 * Returns the fields of a line. They contain the route instead of the path: path and query may contain secrets of the
 * client.
 */
function fieldsOf(record: AttemptRecord) {
  const { duration, ...rest } = record;
  const { caller, requestId, remoteAddress } = record;
  return { ...rest, caller, requestId, remoteAddress, duration: Math.round(duration * 1000) / 1000 };
}

/** Maximum length of the logged user agent, which clients choose freely. */
const longestAgent = 256;

function clientOf(headers: { readonly "user-agent"?: string | undefined; readonly traceparent?: unknown }): {
  readonly userAgent?: string;
  readonly trace?: string;
} {
  const agent = headers["user-agent"];
  const trace = /^00-([0-9a-f]{32})-/.exec(String(headers.traceparent))?.[1];
  return {
    ...(agent !== undefined && { userAgent: agent.slice(0, longestAgent) }),
    ...(trace !== undefined && { trace }),
  };
}
