// Functions that ask the machine: its clock, its name, its randomness, its environment.

import { randomUUID } from "node:crypto";
import { hostname as machineName } from "node:os";
import { formatTimestamp, localZone } from "../message/timestamp.ts";
import { Timestamp, type Value } from "../message/value.ts";
import { wallTimeOf } from "../process/wall-clock.ts";
import { textArgument } from "./arguments.ts";
import { integer } from "./numeric.ts";

/** `now()`: RFC 3339 in the zone of the process. */
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
 * `env(name)`: null where it is not set, and for `GW_*`, which hold credentials of the gateway. Variables cannot change
 * under a gateway, so nothing is cached.
 */
export function env(name: Value, _noCache?: Value): Value {
  const variable = textArgument("function 'env'", "name", name);
  return /^GW_/i.test(variable) ? null : (process.env[variable] ?? null);
}

/** A `count` with numbers of its own. */
export function createCount(): (name: Value) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const key = textArgument("function 'count'", "name", name);
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
}

/** `count(name)`: 1, 2, 3 … for each name, as long as the process lives. Modules of an organisation get one of their own. */
export const count = /* @__PURE__ */ createCount();

/** The clock in whole nanoseconds; finer than its own milliseconds where the machine allows. */
function unixNanoseconds(): bigint {
  return BigInt(Math.round(wallTimeOf(performance.now()) * 1000)) * 1000n;
}
