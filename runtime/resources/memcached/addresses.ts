// Servers of memcached, and which of them has a key.

import { crc32 } from "node:zlib";
import { GatewayError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";

/** Where a server is. */
export interface MemcachedServer {
  readonly host: string;
  readonly port: number;
}

/** Bytes of a key at most (memcached/doc/protocol.txt, "Keys"). */
const longestKey = 250;

/** The servers of `addresses`; an item may hold several with commas. Throws a `GatewayError` at anything else. */
export function memcachedServers(addresses: readonly string[]): readonly MemcachedServer[] {
  const texts = addresses.flatMap((each) => each.split(",")).map((each) => each.trim());
  return texts.filter((each) => each !== "").map(serverOf);
}

function serverOf(address: string): MemcachedServer {
  const url = URL.parse(`memcached://${address.replace(/^memcached:\/\//i, "")}`);
  if (url === null || url.hostname === "")
    throw new GatewayError(500, "`addresses` has an item that is not the address of a memcached server");
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 11211) };
}

/**
 * The bytes of a key, which commands are written with: blanks and control bytes would end it and begin another command.
 * Throws a `GatewayError` with 422 where memcached cannot have it.
 */
export function memcachedKey(text: string): Buffer {
  const key = Buffer.from(text);
  if (!text.isWellFormed() || /[\0- \x7f]/.test(text) || key.length === 0 || key.length > longestKey)
    throw unfitText("key", "a text of 1 to 250 bytes without blanks and control characters");
  return key;
}

/** The place of a key among servers: that of the checksum, as the reference engine's client has it. */
export function placeOf(key: Uint8Array, servers: number): number {
  return servers === 1 ? 0 : crc32(key) % servers;
}
