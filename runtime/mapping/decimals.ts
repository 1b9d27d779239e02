// Decimals as schemas of Kafka Connect, Debezium and Iceberg store them.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { bigArgument, pluginBytes } from "./arguments.ts";

const mostDigits = 16383n;

/** `.parse_big_decimal(scale)`: converts a big-endian two's complement number to decimal text. */
export function parseBigDecimal(target: Value, _from: string, scale: Value): string {
  const digits = bigArgument("method 'parse_big_decimal'", "scale", scale);
  if (digits < 0n || digits > mostDigits)
    throw new MappingError(`scale must be between 0 and ${mostDigits}, got ${digits}`);
  const bytes = pluginBytes(target);
  if (bytes.length === 0) throw new MappingError("cannot parse empty bytes as big decimal");
  const raw = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  return withPoint(BigInt.asIntN(bytes.length * 8, raw), Number(digits));
}

function withPoint(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
