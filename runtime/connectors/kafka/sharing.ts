/** A member of a consumer group: what it wants to read, and what it has read until now. */
export interface GroupMember {
  readonly id: string;
  readonly topics: readonly string[];
  /** Partitions by topic; claims that make no sense are passed over. */
  readonly owned: PartitionsByTopic;
}

export type PartitionsByTopic = Readonly<Record<string, readonly number[]>>;

/** Divides the partitions of topics: what each member gets, by its id; nothing for a member is `{}`. */
export type AssignPartitions = (
  members: readonly GroupMember[],
  topics: ReadonlyMap<string, readonly number[]>,
) => Map<string, Record<string, number[]>>;

/**
 * Gives each partition to one of the members subscribed to its topic, and says what each member gets.
 * Members keep what they had as far as the balance allows: in the end no partition could go to a member
 * that has two or more fewer. Partitions without a subscriber stay out. The same group gives the same
 * answer, in whatever order it is described.
 */
export function sharePartitions(
  members: readonly GroupMember[],
  topics: ReadonlyMap<string, readonly number[]>,
): Map<string, Record<string, number[]>> {
  const holders = members.map(({ id, owned }) => ({ id, owned, held: 0 })).toSorted(by(({ id }) => id));
  const subscriptions = new Map(members.map(({ id, topics: subscribed }) => [id, new Set(subscribed)]));
  const pieces = [...topics].toSorted(by(([topic]) => topic)).flatMap(([topic, partitions]) => {
    const subscribers = holders.filter(({ id }) => subscriptions.get(id)?.has(topic));
    return partitions.toSorted(by(Number)).map((partition): Piece => ({ topic, partition, subscribers }));
  });
  keepOwned(pieces, holders);
  for (const piece of pieces) if (piece.holder === undefined) passOn(piece);
  // Partition by partition, so that what moves is not all of one topic.
  const acrossTopics = pieces.toSorted(by(({ partition }) => partition));
  while (acrossTopics.filter(passOn).length > 0);
  return new Map(holders.map((holder) => [holder.id, sharesOf(holder, pieces)]));
}

interface Holder {
  readonly id: string;
  readonly owned: PartitionsByTopic;
  held: number;
}

interface Piece {
  readonly topic: string;
  readonly partition: number;
  readonly subscribers: readonly Holder[];
  holder?: Holder;
}

/** Of members that claim the same, after one of them was away, the first keeps it. */
function keepOwned(pieces: readonly Piece[], holders: readonly Holder[]): void {
  const known = new Map(pieces.map((piece) => [keyOf(piece.topic, piece.partition), piece]));
  for (const holder of holders) {
    for (const [topic, partitions] of Object.entries(holder.owned)) {
      for (const partition of partitions) {
        const piece = known.get(keyOf(topic, partition));
        if (piece?.holder === undefined && piece?.subscribers.includes(holder)) hand(piece, holder);
      }
    }
  }
}

/** Hands the piece to the subscriber that holds least, unless that brings no balance; says whether it did. */
function passOn(piece: Piece): boolean {
  const [first, ...others] = piece.subscribers;
  if (first === undefined) return false;
  const lightest = others.reduce((least, other) => (other.held < least.held ? other : least), first);
  if (piece.holder !== undefined && piece.holder.held <= lightest.held + 1) return false;
  hand(piece, lightest);
  return true;
}

function hand(piece: Piece, holder: Holder): void {
  if (piece.holder !== undefined) piece.holder.held -= 1;
  piece.holder = holder;
  holder.held += 1;
}

function sharesOf(holder: Holder, pieces: readonly Piece[]): Record<string, number[]> {
  const shares = new Map<string, number[]>();
  for (const { topic, partition, holder: current } of pieces) {
    if (current !== holder) continue;
    const partitions = shares.get(topic) ?? [];
    shares.set(topic, partitions);
    partitions.push(partition);
  }
  return Object.fromEntries(shares);
}

function keyOf(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}

/** Order by a key; text by code units, alike everywhere. */
function by<T, K extends string | number>(keyOfItem: (item: T) => K): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [keyOfItem(a), keyOfItem(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
