import type { DeliverMessages } from "../../component/redelivery.ts";
import type { PartPosition, Positions } from "../../message/positions.ts";
import type { CommitOffset, FetchedBatch, GroupSession } from "./group.ts";
import { partOf, type TopicPartition } from "./offsets.ts";
import { PartitionReader } from "./partition.ts";
import { messageFromRecord } from "./record.ts";
import type { Start } from "./starts.ts";

/** The settings for reading the assigned partitions. */
export interface AssignmentSettings {
  /** Largest number of records of one partition from the oldest unconfirmed one on. */
  readonly limit: number;
  /** Number of further records of one partition that may wait. */
  readonly ahead: number;
  readonly multiHeader: boolean;
  /** Whether this reader keeps its partitions while it is disconnected, because it is alone in its group. */
  readonly exclusive: boolean;
  readonly deliver: DeliverMessages;
}

interface Partition extends TopicPartition {
  readonly reader: PartitionReader;
  /**
   * Whether the partition is assigned to this process. If not, the reader only remembers what this process has done.
   */
  isOwned: boolean;
  committed: bigint | undefined;
  /** The offset after the newest message of the partition, at the time of the assignment or of the latest fetch. */
  end: bigint;
}

/** The partitions that are read. It lasts through joins, rebalances and lost connections. */
export class Assignment {
  readonly #settings: AssignmentSettings;
  readonly #partitions = new Map<string, Partition>();
  /** Assigned partitions whose start offset is not known yet. */
  #unknown: ReadonlyMap<string, TopicPartition> = new Map();
  /** The number of partitions of each topic at the assignment, of the whole group. */
  #counts: readonly (readonly [topic: string, count: bigint])[] = [];
  #session: GroupSession | undefined;
  #memberId: string | undefined;

  constructor(settings: AssignmentSettings) {
    this.#settings = settings;
  }

  /** The latest member id in the group. */
  get memberId(): string | undefined {
    return this.#memberId;
  }

  /** The partitions that are read now. */
  get partitions(): readonly TopicPartition[] {
    return this.#owned();
  }

  /**
   * Takes over an assignment. A partition that this process has owned without interruption continues where it is.
   * Returns the other partitions, which another member may have read meanwhile: none of their messages is delivered
   * before `begin`.
   */
  assign(
    session: GroupSession,
    memberId: string,
    assigned: Readonly<Record<string, readonly number[]>>,
  ): readonly TopicPartition[] {
    const isUnbroken = this.#settings.exclusive || memberId === this.#memberId;
    this.#session = session;
    this.#memberId = memberId;
    this.#counts = Object.keys(assigned).map((topic) => [topic, BigInt(session.partitionCount(topic))]);
    for (const entry of this.#partitions.values()) {
      const { topic, partition, reader } = entry;
      const isAssigned = assigned[topic]?.includes(partition) === true;
      if (isAssigned && entry.isOwned && isUnbroken) {
        session.seek(topic, partition, reader.next);
        reader.proceed();
        continue;
      }
      entry.isOwned = false;
      if (isAssigned) reader.hold();
      else reader.abandon();
    }
    const all = Object.entries(assigned).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const unknown = all.filter((each) => this.#partitions.get(partOf(each))?.isOwned !== true);
    this.#unknown = new Map(unknown.map((each) => [partOf(each), each]));
    return unknown;
  }

  /**
   * Begins to read the partitions that `assign` returned. Records that this process has read are not read again
   * unless another member has committed further. Returns the partitions whose reading was moved: batches fetched
   * before must be discarded.
   */
  begin(starts: readonly Start[]): ReadonlySet<string> {
    const sought = new Set<string>();
    for (const start of starts) {
      const part = partOf(start);
      const former = this.#partitions.get(part)?.reader;
      const reader = continueFrom(former, start) ?? this.#createReader(start, resumeAt(former, start));
      if (former !== reader) former?.abandon();
      if (reader.next !== start.offset || !start.isUsual) {
        this.#session?.seek(start.topic, start.partition, reader.next);
        sought.add(part);
      }
      const { topic, partition, committed } = start;
      this.#partitions.set(part, { topic, partition, reader, committed, isOwned: true, end: start.end });
      reader.proceed();
    }
    this.#unknown = new Map();
    return sought;
  }

  /** Delivers nothing more until the next assignment, if other members may get the partitions meanwhile. */
  hold(): void {
    if (this.#settings.exclusive) return;
    for (const { reader } of this.#partitions.values()) reader.hold();
  }

  /** Passes fetched messages to the reader of their partition. */
  take(batch: FetchedBatch): void {
    const entry = this.#partitions.get(partOf(batch));
    if (entry?.isOwned !== true) return;
    entry.end = batch.highWatermark;
    const { multiHeader } = this.#settings;
    const { topic, partition, highWatermark } = batch;
    const place = { topic, partition, highWatermark, part: partOf(batch) };
    const messages = batch.messages.map((record) => messageFromRecord(record, place, multiHeader));
    const first = messages[0]?.position?.offset;
    if (first !== undefined) this.#readerOf(entry, first).take(messages, batch.next);
    else if (batch.next > entry.reader.next) entry.reader.take([], batch.next);
  }

  /** Returns the number of unconfirmed messages in its partitions, as far as it is known. */
  lag(): number {
    return this.#owned().reduce(
      (sum, { reader, end }) => sum + Math.max(0, Number(end - reader.position)),
      0,
    );
  }

  /** Returns the offsets that can be committed and are not committed yet. */
  uncommitted(): CommitOffset[] {
    return this.#owned().flatMap(({ topic, partition, reader, committed }) =>
      reader.position === committed ? [] : { topic, partition, offset: reader.position },
    );
  }

  /** Records which offsets have been committed. */
  noteCommitted(offsets: readonly CommitOffset[]): void {
    for (const offset of offsets) {
      const entry = this.#partitions.get(partOf(offset));
      if (entry !== undefined) entry.committed = offset.offset;
    }
  }

  /**
   * See `InputPositions.undelivered`. Returns `undefined` while the start of some partition is unknown. In addition
   * to the offsets of partitions, the result holds the number of partitions of each topic, see
   * `StartSettings.positions`.
   */
  undelivered(isHanded: (position: PartPosition) => boolean, wanted?: string): Positions | undefined {
    if (this.#session === undefined || this.#unknown.size > 0) return undefined;
    if (wanted !== undefined) {
      const { isOwned, reader } = this.#partitions.get(wanted) ?? {};
      return new Map(isOwned && reader ? [[wanted, reader.undelivered(wanted, isHanded)]] : []);
    }
    const positions = new Map(this.#counts);
    for (const [part, { isOwned, reader }] of this.#partitions) {
      if (isOwned) positions.set(part, reader.undelivered(part, isHanded));
    }
    return positions;
  }

  /** Delivers nothing more. */
  abandon(): void {
    for (const { reader } of this.#partitions.values()) reader.abandon();
  }

  /** Resolves when no delivery is in progress. */
  async idle(): Promise<void> {
    await Promise.all([...this.#partitions.values()].map(({ reader }) => reader.idle()));
  }

  #owned(): readonly Partition[] {
    return [...this.#partitions.values()].filter(({ isOwned }) => isOwned);
  }

  /**
   * Replaces the reader if `first` is older than what was read:
   * the topic was recreated, and its offsets mean other messages.
   */
  #readerOf(entry: Partition, first: bigint): PartitionReader {
    if (first >= entry.reader.next) return entry.reader;
    entry.reader.abandon();
    const reader = this.#createReader(entry, first);
    this.#partitions.set(partOf(entry), { ...entry, reader, committed: undefined });
    return reader;
  }

  #createReader({ topic, partition }: TopicPartition, start: bigint): PartitionReader {
    return new PartitionReader(start, {
      ...this.#settings,
      pauseFetching: () => this.#session?.pause(topic, partition),
      resumeFetching: () => this.#session?.resume(topic, partition),
    });
  }
}

/** Returns the former reader, which continues its deliveries, if no other member has committed beyond it. */
function continueFrom(former: PartitionReader | undefined, start: Start): PartitionReader | undefined {
  if (former === undefined || former.isAbandoned) return undefined;
  if (former.next < start.offset || former.next > start.end) return undefined;
  former.skipTo(start.offset);
  return former;
}

/**
 * Returns the offset to start at.
 * Messages that this process confirmed before it lost the partition are not read again.
 */
function resumeAt(former: PartitionReader | undefined, { offset, end }: Start): bigint {
  if (former === undefined || former.position < offset || former.position > end) return offset;
  return former.position;
}
