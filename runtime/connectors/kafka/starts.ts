// Finds the offsets at which the partitions of an assignment are read first.

import type { Positions } from "../../message/positions.ts";
import { type OffsetLookup, partOf, type TopicPartition } from "./offsets.ts";

/** How to choose the start offset of a partition. */
export interface StartSettings {
  /** Whether offsets are stored. */
  readonly isStored: boolean;
  /**
   * Whether the client is not a member of the group that stores the offsets,
   * so that it does not start at them itself.
   */
  readonly isOutside?: boolean;
  readonly fromBeginning: boolean;
  /**
   * The offsets to start at instead, by `partOf`. A position before the oldest record or beyond the end means the
   * oldest record. An entry with the name of a topic holds its former number of partitions: further partitions are
   * new, and start with their oldest record.
   */
  readonly positions?: Positions | undefined;
}

/** The start of one partition. */
export interface Start extends TopicPartition {
  readonly offset: bigint;
  /** The offset after the newest record. A later offset belongs to a former topic of the same name. */
  readonly end: bigint;
  readonly committed: bigint | undefined;
  /** Whether the client itself starts at this offset. */
  readonly isUsual: boolean;
}

/** Looks up where partitions start. Rejects if the brokers do not answer. */
export async function findStarts(
  lookup: OffsetLookup,
  partitions: readonly TopicPartition[],
  { isStored, isOutside = false, fromBeginning, positions }: StartSettings,
): Promise<readonly Start[]> {
  if (partitions.length === 0) return [];
  const committed = isStored ? await lookup.committed(partitions) : new Map<string, bigint>();
  const fresh = partitions.filter((each) => !committed.has(partOf(each)));
  const wantsEarliest = fromBeginning || positions !== undefined;
  const [earliest, latest] = await Promise.all([
    wantsEarliest ? lookup.earliest(fresh) : undefined,
    lookup.latest(partitions),
  ]);
  return partitions.map((each) => {
    const part = partOf(each);
    const end = latest.get(part) ?? 0n;
    const oldest = earliest?.get(part) ?? 0n;
    const position = positionOf(each, positions);
    const usual = committed.get(part) ?? (fromBeginning ? oldest : end);
    return {
      ...each,
      offset: position === undefined ? usual : within(position, oldest, end),
      end,
      committed: committed.get(part),
      isUsual: committed.has(part) ? !isOutside : fromBeginning && position === undefined,
    };
  });
}

/** Returns `undefined` for a partition that has no position, but may have existed before. */
function positionOf(each: TopicPartition, positions: Positions | undefined): bigint | undefined {
  const count = positions?.get(each.topic);
  const isNew = count !== undefined && each.partition >= count;
  return positions?.get(partOf(each)) ?? (isNew ? 0n : undefined);
}

/** Bounds a position. A recreated topic counts from 0 again: a position beyond its end belongs to the former topic. */
function within(position: bigint, oldest: bigint, end: bigint): bigint {
  return position < oldest || position > end ? oldest : position;
}
