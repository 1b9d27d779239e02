import type { Delivered } from "../../component/component.ts";
import type { Message } from "../../message/message.ts";
import type { PartPosition, Positions } from "../../message/positions.ts";
import type { CommitOffset, FetchedBatch, GroupSession } from "./group.ts";
import { partOf, type TopicPartition } from "./offsets.ts";
import { PartitionReader } from "./partition.ts";
import { messageFromRecord } from "./record.ts";
import type { Start } from "./starts.ts";

/** How the partitions of an assignment are read. */
export interface AssignmentSettings {
  /** Records of one partition from the oldest under way on. */
  readonly limit: number;
  /** Records of one partition that may wait besides. */
  readonly ahead: number;
  readonly multiHeader: boolean;
  /** Whether partitions stay this reader's own while it is away: it is alone in its group. */
  readonly exclusive: boolean;
  deliver(message: Message, abandon: AbortSignal): Promise<Delivered | undefined>;
}

interface Partition extends TopicPartition {
  readonly reader: PartitionReader;
  /** Where it is not, the reader is what this process has done before. */
  isOwned: boolean;
  committed: bigint | undefined;
  /** Offset after the partition's newest message, as of the assignment or the latest fetch. */
  end: bigint;
}

/** The partitions that are read, through joins, rebalances and losses of the connection. */
export class Assignment {
  readonly #settings: AssignmentSettings;
  readonly #partitions = new Map<string, Partition>();
  /** Assigned, but without a known start. */
  #unknown: ReadonlyMap<string, TopicPartition> = new Map();
  /** How many partitions each topic had at the assignment, in the whole group. */
  #counts: readonly (readonly [topic: string, count: bigint])[] = [];
  #session: GroupSession | undefined;
  #memberId: string | undefined;

  constructor(settings: AssignmentSettings) {
    this.#settings = settings;
  }

  /** The last name in the group. */
  get memberId(): string | undefined {
    return this.#memberId;
  }

  /** What is read now. */
  get partitions(): readonly TopicPartition[] {
    return this.#owned();
  }

  /**
   * Takes over what the group assigned. A partition that has been ours without a break goes on where it is. Gives the
   * others, of which another member may have read on: nothing of them is handed over before `begin`.
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
   * Begins to read what `assign` gave. What this process has read is not read again unless another member has committed
   * more. Gives the parts of which what was fetched before counts for nothing.
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

  /** Hands over nothing more until partitions are assigned again, where others may be given them meanwhile. */
  hold(): void {
    if (this.#settings.exclusive) return;
    for (const { reader } of this.#partitions.values()) reader.hold();
  }

  /** Hands fetched messages to their partition. */
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

  /** Messages of its partitions that are not confirmed, as far as it was told. */
  lag(): number {
    return this.#owned().reduce(
      (sum, { reader, end }) => sum + Math.max(0, Number(end - reader.position)),
      0,
    );
  }

  /** What may be committed and has not been. */
  uncommitted(): CommitOffset[] {
    return this.#owned().flatMap(({ topic, partition, reader, committed }) =>
      reader.position === committed ? [] : { topic, partition, offset: reader.position },
    );
  }

  /** Notes what has been committed. */
  noteCommitted(offsets: readonly CommitOffset[]): void {
    for (const offset of offsets) {
      const entry = this.#partitions.get(partOf(offset));
      if (entry !== undefined) entry.committed = offset.offset;
    }
  }

  /**
   * As `InputPositions.undelivered`; `undefined` while it is not known where some partition begins. Beside the offsets of
   * partitions it has the number of partitions of each topic, as `StartSettings.positions`.
   */
  undelivered(isHanded: (position: PartPosition) => boolean): Positions | undefined {
    if (this.#session === undefined || this.#unknown.size > 0) return undefined;
    const positions = new Map(this.#counts);
    for (const entry of this.#owned()) {
      const part = partOf(entry);
      positions.set(part, entry.reader.undelivered(part, isHanded));
    }
    return positions;
  }

  /** Hands over nothing more. */
  abandon(): void {
    for (const { reader } of this.#partitions.values()) reader.abandon();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all([...this.#partitions.values()].map(({ reader }) => reader.idle()));
  }

  #owned(): readonly Partition[] {
    return [...this.#partitions.values()].filter(({ isOwned }) => isOwned);
  }

  /** Messages from before what was read: the topic was made anew, and its offsets mean other messages. */
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

/** What is under way goes on, where no other member has committed beyond it. */
function continueFrom(former: PartitionReader | undefined, start: Start): PartitionReader | undefined {
  if (former === undefined || former.isAbandoned) return undefined;
  if (former.next < start.offset || former.next > start.end) return undefined;
  former.skipTo(start.offset);
  return former;
}

/** What this process has confirmed before it lost the partition is not read again. */
function resumeAt(former: PartitionReader | undefined, { offset, end }: Start): bigint {
  if (former === undefined || former.position < offset || former.position > end) return offset;
  return former.position;
}
