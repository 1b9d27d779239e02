import rhea from "rhea";
import { GatewayError } from "../../errors.ts";
import { printJson } from "../../message/json.ts";
import type { Value } from "../../message/value.ts";

/** The largest values of 64 bits, with a sign and without one. */
const longest = 2n ** 63n;
const longestUnsigned = 2n ** 64n;

/**
 * A value of the mapping language as the client takes it, whole numbers as long and others as double. Throws a
 * `GatewayError` for lists and objects, which application properties cannot hold.
 */
export function propertyValue(name: string, value: Value): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  // Numbers have several forms, and one text.
  const text = printJson(value);
  if (/^-?\d+$/.test(text)) return wholeNumber(BigInt(text));
  if (/^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(text)) return rhea.types.wrap_double(Number(text));
  const message = `The application property \`${name}\` of amqp_1 is neither a text, a number nor a boolean`;
  throw new GatewayError(422, message, { retryable: false });
}

function wholeNumber(value: bigint): unknown {
  if (value >= longestUnsigned || value < -longest) return rhea.types.wrap_double(Number(value));
  const bytes = Buffer.alloc(8);
  if (value >= longest) {
    bytes.writeBigUInt64BE(value);
    return rhea.types.wrap_ulong(bytes);
  }
  bytes.writeBigInt64BE(value);
  return rhea.types.wrap_long(bytes);
}
