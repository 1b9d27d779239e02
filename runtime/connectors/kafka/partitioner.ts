import { unfit } from "../../grammar/computed-text.ts";

/** What is known of a record when its partition is picked. */
export interface Placement {
  /** `null` for a record without a key. */
  readonly key: Uint8Array | null;
  /** Bytes it takes. */
  readonly size: number;
  /** Number of its partition as the document says it; only `manual` looks at it. */
  readonly partition: string;
}

/** What is known of the topic. */
export interface Spread {
  /** How many partitions there are. */
  readonly count: number;
  /** Records that wait for a partition or are on their way to it. */
  pending(partition: number): number;
}

/** Picks a partition; one for each topic, as some remember where they were. Throws a `GatewayError`. */
export type Partitioner = (record: Placement, spread: Spread) => number;

/** How `uniform_bytes` goes about it. */
export interface UniformBytes {
  /** Bytes after which another partition follows. */
  readonly bytes: number;
  /** Whether records with a key go by its hash. */
  readonly keys: boolean;
}

/**
 * By the FNV-1a hash of the key, so that records of one key stay in order and land where other engines with
 * this default put them; a record without key goes anywhere.
 */
export function fnv1aHash(): Partitioner {
  // The hash is taken as a signed number, and the sign dropped after the division.
  return ({ key }, { count }) => (key === null ? anywhere(count) : Math.abs((fnv1a(key) | 0) % count));
}

/** By the murmur2 hash of the key, as Java's clients do; a record without key goes anywhere. */
export function murmur2Hash(): Partitioner {
  return ({ key }, { count }) => (key === null ? anywhere(count) : positiveMurmur2(key) % count);
}

/** Anywhere, whatever the key. */
export function randomPartition(): Partitioner {
  return (_, { count }) => anywhere(count);
}

/** One partition after the other. */
export function roundRobin(): Partitioner {
  let next = 0;
  return (_, { count }) => {
    const partition = next % count;
    next = partition + 1;
    return partition;
  };
}

/** The partition for which fewest records wait; keys are hashed. */
export function leastBackup(): Partitioner {
  return ({ key }, { count, pending }) => {
    if (key !== null) return positiveMurmur2(key) % count;
    let best = anywhere(count);
    for (let partition = 0; partition < count; partition += 1) {
      if (pending(partition) < pending(best)) best = partition;
    }
    return best;
  };
}

/** One partition until it has got its bytes, then any other. */
export function uniformBytes({ bytes, keys }: UniformBytes): Partitioner {
  let current: number | undefined;
  let written = 0;
  return ({ key, size }, { count }) => {
    if (keys && key !== null) return positiveMurmur2(key) % count;
    if (current === undefined || current >= count) current = anywhere(count);
    else if (written + size > bytes && count > 1) {
      current = (current + 1 + anywhere(count - 1)) % count; // any other
      written = 0;
    }
    written += size;
    return current;
  };
}

/** The partition the document names. */
export function manual(): Partitioner {
  return ({ partition }, { count }) => {
    const number = /^\s*\d+\s*$/.test(partition) ? Number(partition) : Number.NaN;
    if (number < count) return number;
    const said = Number.isNaN(number) ? "`partition` is not the number of one" : "the topic has no such one";
    throw unfit(`Kafka has no partition for the message: ${said}`);
  };
}

function positiveMurmur2(key: Uint8Array): number {
  return murmur2(key) & 0x7fffffff;
}

function anywhere(count: number): number {
  return Math.floor(Math.random() * count);
}

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
