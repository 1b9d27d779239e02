// A line for every attempt to connect, in the log.

import type { Logger } from "../process/log.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { AnalyticsListener } from "./listener.ts";

/** Logs attempts to reach APIs that ask for it, at level `info`, once they are over. */
export function accessLog(): AnalyticsListener {
  let log: Logger | undefined;
  return {
    attempt:
      ({ request, attempt }) =>
      (record) => {
        if (attempt.call?.api?.api.definition.logged === true) {
          log?.info("request", { ...fieldsOf(record), ...clientOf(request.headers) });
        }
      },
    start(gateway) {
      log = gateway.log;
    },
  };
}

/** The route stands for the path: that may hold what only its client should know, and so may the query. */
function fieldsOf(record: AttemptRecord) {
  const { duration, ...rest } = record;
  return { ...rest, duration: Math.round(duration * 1000) / 1000 };
}

/** User agents are text that clients choose. */
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
