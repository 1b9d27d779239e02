// When a request is made again, and when.

import type { IncomingHttpHeaders } from "node:http";
import type { HttpRequestSettings } from "./settings.ts";

/** What the rules say about a status. */
export type ReplyVerdict = "success" | "fail" | "grow" | "repeat";

/** The order counts: a status in several lists is what the first of them says. */
export function judge(
  status: number,
  {
    drop_on,
    backoff_on,
    successful_on,
  }: Pick<HttpRequestSettings, "drop_on" | "backoff_on" | "successful_on">,
): ReplyVerdict {
  if (drop_on.includes(status)) return "fail";
  if (backoff_on.includes(status)) return "grow";
  if (successful_on.includes(status) || (status >= 200 && status < 300)) return "success";
  return "repeat";
}

/**
 * The milliseconds that a server asks to be left alone (`Retry-After`, in seconds or as a date, RFC 9110, section
 * 10.2.3); 0 where it does not, or says something else.
 */
export function askedPause({ "retry-after": text = "" }: IncomingHttpHeaders, now = Date.now()): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
