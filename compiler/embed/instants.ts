// Timestamps of the language and dates of JavaScript.

import type { Timestamp } from "../../runtime/message/value.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";

/** A date as a timestamp in UTC. Throws a `RangeError` where it is none. */
export function instantOf(date: Date): Timestamp {
  const milliseconds = BigInt(date.getTime());
  const fraction = ((milliseconds % 1000n) + 1000n) % 1000n;
  const { Timestamp } = loadRuntime("runtime/message/value.ts");
  return new Timestamp((milliseconds - fraction) / 1000n, Number(fraction) * 1_000_000, "UTC");
}

/** RFC 3339 with as many digits as the timestamp has, in its own zone. */
export function formatInstant(timestamp: Timestamp): string {
  return loadRuntime("runtime/message/timestamp.ts").formatTimestamp(timestamp);
}
