import { unfit } from "../../grammar/computed-text.ts";

/** The properties of a record from which its partition is chosen. */
export interface Placement {
  /** `null` for a record without a key. */
  readonly key: Uint8Array | null;
  /** The size of the record in bytes. */
  readonly size: number;
  /** The partition number in the document; only `manual` uses it. */
  readonly partition: string;
}

/** The properties of a topic from which a partition is chosen. */
export interface Spread {
  /** The number of partitions. */
  readonly count: number;
  /** Returns the number of records that wait for a partition or are being sent to it. */
  pending(partition: number): number;
}

/**
 * Chooses a partition. Each topic has its own partitioner, as some keep state. Throws a `GatewayError` if it cannot.
 */
export type Partitioner = (record: Placement, spread: Spread) => number;

/** The settings of `uniform_bytes`. */
export interface UniformBytes {
  /** Number of bytes after which the partition changes. */
  readonly bytes: number;
  /** Whether records with a key are placed by the hash of the key. */
  readonly keys: boolean;
}

/**
 * Chooses by the FNV-1a hash of the key, so that records with the same key stay in order and go to the same partition
 * as with other engines that use this default. A record without a key goes to a random partition.
 */
export function fnv1aHash(): Partitioner {
  // The hash is treated as a signed number; the sign is dropped after the division.
  return ({ key }, { count }) => (key === null ? anywhere(count) : Math.abs((fnv1a(key) | 0) % count));
}

/** Chooses by the murmur2 hash of the key, as Java's clients do. A record without a key goes to a random partition. */
export function murmur2Hash(): Partitioner {
  return ({ key }, { count }) => (key === null ? anywhere(count) : positiveMurmur2(key) % count);
}

/** Chooses a random partition, whatever the key. */
export function randomPartition(): Partitioner {
  return (_, { count }) => anywhere(count);
}

/** Chooses the partitions in turn. */
export function roundRobin(): Partitioner {
  let next = 0;
  return (_, { count }) => {
    const partition = next % count;
    next = partition + 1;
    return partition;
  };
}

/** Chooses the partition for which the fewest records wait. Records with a key are placed by its hash. */
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

/** Chooses one partition until it has received `bytes`, then any other. */
export function uniformBytes({ bytes, keys }: UniformBytes): Partitioner {
  let current: number | undefined;
  let written = 0;
  return ({ key, size }, { count }) => {
    if (keys && key !== null) return positiveMurmur2(key) % count;
    if (current === undefined || current >= count) current = anywhere(count);
    else if (written + size > bytes && count > 1) {
      current = (current + 1 + anywhere(count - 1)) % count; // any other one
      written = 0;
    }
    written += size;
    return current;
  };
}

/** Chooses the partition that the document names. */
export function manual(): Partitioner {
  return ({ partition }, { count }) => {
    const number = /^\s*\d+\s*$/.test(partition) ? Number(partition) : Number.NaN;
    if (number < count) return number;
    const said = Number.isNaN(number)
      ? "`partition` is not a partition number"
      : "the topic has no such partition";
    throw unfit(`Kafka has no partition for the message: ${said}`);
  };
}

function positiveMurmur2(key: Uint8Array): number {
  return murmur2(key) & 0x7fffffff;
}

function anywhere(count: number): number {
  return Math.floor(Math.random() * count);
}

// The hashes by which Kafka clients distribute keys.

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
