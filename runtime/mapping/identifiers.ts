// Generates identifiers. Each call returns a new one.

import { getRandomValues, randomBytes } from "node:crypto";
import { MappingError } from "../errors.ts";
import type { Timestamp, Value } from "../message/value.ts";
import { integerArgument, textArgument } from "./arguments.ts";
import { refuseLarger } from "./size-limits.ts";
import { timestampArgument } from "./timestamps.ts";

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const urlSafe = "_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** The epochs of snowflakes, in milliseconds since 1970, and of KSUIDs, in seconds. */
const snowflakeEpoch = 1288834974657n;
const ksuidEpoch = 1_400_000_000;

/** For each node, the time of its last snowflake, and the counter within that millisecond. */
const nodes = /* @__PURE__ */ new Map<number, { time: bigint; step: bigint }>();

/** `snowflake_id(node_id)`: 41 bits for the time, 10 for the node, 12 for a counter. */
export function snowflakeId(node: Value): string {
  const number = integerArgument("function 'snowflake_id'", "node_id", node);
  if (number < 0 || number > 1023) throw new MappingError("Node number must be between 0 and 1023");
  const now = BigInt(Date.now()) - snowflakeEpoch;
  const last = nodes.get(number) ?? { time: -1n, step: 0n };
  const next = now > last.time ? { time: now, step: 0n } : following(last);
  nodes.set(number, next);
  return String((next.time << 22n) | (BigInt(number) << 12n) | next.step);
}

/** `ksuid()`: the time in seconds and sixteen random bytes, in base 62. */
export function ksuid(): string {
  const bytes = randomBytes(20);
  bytes.writeUInt32BE(Math.floor(Date.now() / 1000) - ksuidEpoch);
  return inBase(BigInt(`0x${bytes.toString("hex")}`), base62, 27);
}

/** The longest id, far beyond any use. Each letter is drawn separately. */
const longestNanoid = 2 ** 16;

/** `nanoid(length, alphabet)` */
export function nanoid(length?: Value, alphabet?: Value): string {
  const call = "function 'nanoid'";
  if (length === undefined && alphabet !== undefined)
    throw new MappingError("field length must be specified when an alphabet is specified");
  const size = length === undefined ? 21 : integerArgument(call, "length", length);
  const letters = [...(alphabet === undefined ? urlSafe : textArgument(call, "alphabet", alphabet))];
  if (letters.length === 0 || letters.length > 255)
    throw new MappingError("alphabet must not be empty and contain no more than 255 chars");
  if (size < 0 || (size === 0 && alphabet !== undefined))
    throw new MappingError(alphabet === undefined ? "negative id length" : "size must be positive integer");
  refuseLarger("nanoid", size, longestNanoid);
  return Array.from({ length: size }, () => letters[randomBelow(letters.length)]).join("");
}

/** `ulid(encoding, random_source)`: both random sources use the secure one. */
export function ulid(encoding: Value, source: Value): string {
  const name = textArgument("function 'ulid'", "encoding", encoding);
  const random = textArgument("function 'ulid'", "random_source", source);
  if (random !== "secure_random" && random !== "fast_random")
    throw new MappingError(`invalid randomness source: ${random}`);
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  const hex = bytes.toString("hex");
  if (name === "hex") return hex;
  if (name !== "crockford") throw new MappingError(`invalid ulid encoding: ${name}`);
  return inBase(BigInt(`0x${hex}`), crockford, 26);
}

/** `uuid_v7(time)`: ordered by the current time, or by the given one. */
export function uuidV7(time?: Value): string {
  const bytes = randomBytes(16);
  const call = "function 'uuid_v7'";
  bytes.writeUIntBE(
    time === undefined ? Date.now() : milliseconds(timestampArgument(call, "time", time)),
    0,
    6,
  );
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Returns the next snowflake of a millisecond that is not over yet. If its counter is full, uses the next millisecond.
 */
function following({ time, step }: { time: bigint; step: bigint }): { time: bigint; step: bigint } {
  return step < 4095n ? { time, step: step + 1n } : { time: time + 1n, step: 0n };
}

/** Times outside the range of 48 bits wrap around. */
function milliseconds(time: Timestamp): number {
  const since1970 = time.seconds() * 1000n + BigInt(Math.floor(time.nanoseconds() / 1_000_000));
  return Number(BigInt.asUintN(48, since1970));
}

function inBase(value: bigint, digits: string, length: number): string {
  const base = BigInt(digits.length);
  let text = "";
  for (let rest = value; text.length < length; rest /= base)
    text = (digits[Number(rest % base)] ?? "") + text;
  return text;
}

/** Returns a uniformly distributed number below `limit`, which is at most 256. */
function randomBelow(limit: number): number {
  const fair = 256 - (256 % limit);
  const drawn = new Uint8Array(1);
  for (;;) {
    const [number = 0] = getRandomValues(drawn);
    if (number < fair) return number % limit;
  }
}
