// The hashes by which clients of Kafka spread keys.

/** The 32-bit FNV-1a hash. */
export function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const multiplier = 0x5bd1e995;

/** The 32-bit murmur2 hash with the seed of Kafka's Java client, as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const at = (index: number) => bytes[index] ?? 0;
  const whole = bytes.length & ~3;
  let hash = 0x9747b28c ^ bytes.length;
  for (let index = 0; index < whole; index += 4) {
    const word = at(index) | (at(index + 1) << 8) | (at(index + 2) << 16) | (at(index + 3) << 24);
    const mixed = Math.imul(word, multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(mixed ^ (mixed >>> 24), multiplier);
  }
  if (bytes.length > whole) {
    hash ^= at(whole) | (at(whole + 1) << 8) | (at(whole + 2) << 16);
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
