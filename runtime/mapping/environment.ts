// Functions that read the machine's clock, host name, random numbers and environment.

import { randomUUID } from "node:crypto";
import { hostname as machineName } from "node:os";
import { formatTimestamp, localZone } from "../message/timestamp.ts";
import { Timestamp, type Value } from "../message/value.ts";
import { wallTimeOf } from "../process/wall-clock.ts";
import { boolArgument, textArgument } from "./arguments.ts";
import { integer } from "./numeric.ts";

/** `now()`: RFC 3339 text in the zone of the process. */
export function now(): string {
  const nanoseconds = unixNanoseconds();
  const zone = localZone();
  return formatTimestamp(
    new Timestamp(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n), zone),
  );
}

/** `timestamp_unix()` */
export function timestampUnix(): Value {
  return integer(unixNanoseconds() / 1_000_000_000n);
}

/** `timestamp_unix_milli()` */
export function timestampUnixMilli(): Value {
  return integer(unixNanoseconds() / 1_000_000n);
}

/** `timestamp_unix_micro()` */
export function timestampUnixMicro(): Value {
  return integer(unixNanoseconds() / 1000n);
}

/** `timestamp_unix_nano()` */
export function timestampUnixNano(): Value {
  return integer(unixNanoseconds());
}

/** `uuid_v4()` */
export function uuidV4(): string {
  return randomUUID();
}

/** `hostname()` */
export function hostname(): string {
  return machineName();
}

/**
 * `env(name)`: null if the variable is not set, and for `GW_*`, which holds credentials of the gateway. Variables do
 * not change while a gateway runs, so there is nothing to cache.
 */
export function env(name: Value, noCache?: Value): Value {
  const variable = variableName(name, noCache);
  return /^GW_/i.test(variable) ? null : (process.env[variable] ?? null);
}

/** Returns the name that `env` reads, once both arguments have been checked. */
export function variableName(name: Value, noCache: Value = false): string {
  const variable = textArgument("function 'env'", "name", name);
  boolArgument("function 'env'", "no_cache", noCache);
  return variable;
}

/** Returns a `count` function with its own counters. */
export function createCount(): (name: Value) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const key = textArgument("function 'count'", "name", name);
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
}

/**
 * `count(name)`: 1, 2, 3 … for each name, for the life of the process. Modules of an organisation have their own
 * counters.
 */
export const count = /* @__PURE__ */ createCount();

/** Returns nanoseconds since 1970. More precise than milliseconds if the machine allows it. */
function unixNanoseconds(): bigint {
  return BigInt(Math.round(wallTimeOf(performance.now()) * 1000)) * 1000n;
}
