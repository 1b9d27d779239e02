// The addresses of memcached servers, and the server of each key.

import { crc32 } from "node:zlib";
import { GatewayError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";

/** The address of a server. */
export interface MemcachedServer {
  readonly host: string;
  readonly port: number;
}

/** The most bytes of a key (memcached/doc/protocol.txt, "Keys"). */
const longestKey = 250;

/**
 * Parses `addresses`; an item may contain several, separated by commas. Throws a `GatewayError` if an address is not
 * valid.
 */
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
 * Returns the bytes of a key for commands. Spaces and control bytes are refused, since they would end the key and
 * begin another command. Throws a `GatewayError` with 422 if memcached does not allow the key.
 */
export function memcachedKey(text: string): Buffer {
  const key = Buffer.from(text);
  if (!text.isWellFormed() || /[\0- \x7f]/.test(text) || key.length === 0 || key.length > longestKey)
    throw unfitText("key", "a text of 1 to 250 bytes without blanks and control characters");
  return key;
}

/** Returns the index of the server of a key, by its checksum, like the client of the reference engine. */
export function placeOf(key: Uint8Array, servers: number): number {
  return servers === 1 ? 0 : crc32(key) % servers;
}
