// Where the partitions of an assignment begin to be read.

import type { Positions } from "../../message/positions.ts";
import { type OffsetLookup, partOf, type TopicPartition } from "./offsets.ts";

/** Where to begin without a stored offset. */
export interface StartSettings {
  /** Whether offsets are stored. */
  readonly isStored: boolean;
  /** Whether the client is not a member of the group that has the offsets, so that it does not begin at them. */
  readonly isOutside?: boolean;
  readonly fromBeginning: boolean;
  /**
   * Where to begin instead, by `partOf`; what is older than the oldest record, or beyond the end, begins with the oldest.
   * By the name of a topic it tells how many partitions that had: those beyond are new and begin with their oldest record.
   */
  readonly positions?: Positions | undefined;
}

/** The beginning of one partition. */
export interface Start extends TopicPartition {
  readonly offset: bigint;
  /** After the newest record: a later offset is of another topic of that name. */
  readonly end: bigint;
  readonly committed: bigint | undefined;
  /** Whether the client itself begins at this offset. */
  readonly isUsual: boolean;
}

/** Looks the beginnings up. Rejects when the brokers do not tell. */
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

/** `undefined` for a partition of which the positions say nothing, but that may have been there. */
function positionOf(each: TopicPartition, positions: Positions | undefined): bigint | undefined {
  const count = positions?.get(each.topic);
  const isNew = count !== undefined && each.partition >= count;
  return positions?.get(partOf(each)) ?? (isNew ? 0n : undefined);
}

/** A topic that was made anew counts from 0 again: what is beyond its end was in the former one. */
function within(position: bigint, oldest: bigint, end: bigint): bigint {
  return position < oldest || position > end ? oldest : position;
}
