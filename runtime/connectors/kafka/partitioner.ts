import type { PartitionerArgs } from "kafkajs";

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/**
 * Picks the partition of a record by the FNV-1a hash of its key, so that records of one key stay in
 * order and land where other engines with this default put them; a record without key goes anywhere.
 */
export function createFnvPartitioner(): (args: PartitionerArgs) => number {
  return ({ partitionMetadata, message }) => {
    const count = partitionMetadata.length;
    if (message.key === undefined || message.key === null) return Math.floor(Math.random() * count);
    const key = typeof message.key === "string" ? Buffer.from(message.key) : message.key;
    // The hash is taken as a signed number, and the sign dropped after the division.
    return Math.abs((fnv1a(key) | 0) % count);
  };
}

/** The 32-bit FNV-1a hash. */
export function fnv1a(bytes: Uint8Array): number {
  let hash = offsetBasis;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}
