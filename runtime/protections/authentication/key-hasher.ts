// Hashes of keys, of which connections mostly send one again and again.

import type { Socket } from "node:net";
import { hashKey } from "../../keys/key-hash.ts";

interface Hashed {
  readonly key: string;
  readonly hash: string;
}

/**
 * As `hashKey`, remembering the last key of each connection. What is remembered is the hash alone: what it stands for is
 * asked each time. Keys are kept no longer than the connection that could send them again, never in one place for all.
 */
export function createKeyHasher(): (connection: Socket, key: string) => string {
  const last = new WeakMap<Socket, Hashed>();
  return (connection, key) => {
    const known = last.get(connection);
    if (known !== undefined && isSame(known.key, key)) return known.hash;
    const hash = hashKey(key);
    last.set(connection, { key, hash });
    return hash;
  };
}

/**
 * Takes as long for texts that differ late as for those that differ early: connections of proxies carry the keys of
 * many callers, none of whom may learn another's by trying. Buffers, as `timingSafeEqual` needs them, would cost more
 * than the hash.
 */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let position = 0; position < one.length; position += 1) {
    difference |= one.charCodeAt(position) ^ other.charCodeAt(position);
  }
  return difference === 0;
}
