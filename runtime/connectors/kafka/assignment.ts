import type { Message } from "../../message.ts";
import type { CommitOffset, FetchedBatch, GroupSession } from "./group.ts";
import { PartitionReader } from "./partition.ts";
import { messageFromRecord } from "./record.ts";

/** How the partitions of an assignment are read. */
export interface AssignmentSettings {
  /** Records of one partition under way at once. */
  readonly limit: number;
  /** Records of one partition that may wait besides. */
  readonly ahead: number;
  readonly multiHeader: boolean;
  /** Whether partitions stay this reader's own while it is away: nobody else is in its group. */
  readonly exclusive: boolean;
  deliver(message: Message, abandon: AbortSignal): Promise<boolean>;
}

interface Partition {
  readonly topic: string;
  readonly partition: number;
  readonly reader: PartitionReader;
  committed: bigint | undefined;
}

/** The partitions that are read, through joins, rebalances and losses of the connection. */
export class Assignment {
  readonly #settings: AssignmentSettings;
  readonly #partitions = new Map<string, Partition>();
  #session: GroupSession | undefined;
  #memberId: string | undefined;

  constructor(settings: AssignmentSettings) {
    this.#settings = settings;
  }

  /**
   * Takes over what the group assigned. A partition that has been ours without a break goes on where it
   * is; of any other, somebody else may have read on, so what is in flight of it is given up.
   */
  assign(session: GroupSession, memberId: string, assigned: Readonly<Record<string, number[]>>): void {
    const unbroken = this.#settings.exclusive || memberId === this.#memberId;
    this.#session = session;
    this.#memberId = memberId;
    for (const [key, { topic, partition, reader }] of this.#partitions) {
      if (!unbroken || !assigned[topic]?.includes(partition)) {
        reader.abandon();
        this.#partitions.delete(key);
      } else if (reader.next !== undefined) {
        session.seek(topic, partition, reader.next);
        reader.reconnected();
      }
    }
  }

  /** Hands fetched messages to their partition. */
  take(batch: FetchedBatch): void {
    const records = batch.messages.map((record) => ({
      offset: BigInt(record.offset),
      message: messageFromRecord(record, batch, this.#settings.multiHeader),
    }));
    this.#readerAt(batch, records[0]?.offset ?? 0n).take(records);
  }

  /** What may be committed and has not been. */
  uncommitted(): CommitOffset[] {
    const offsets: CommitOffset[] = [];
    for (const { topic, partition, reader, committed } of this.#partitions.values()) {
      const offset = reader.position;
      if (offset !== undefined && offset !== committed) offsets.push({ topic, partition, offset });
    }
    return offsets;
  }

  /** Notes what has been committed. */
  noteCommitted(offsets: readonly CommitOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      const entry = this.#partitions.get(keyOf(topic, partition));
      if (entry !== undefined) entry.committed = offset;
    }
  }

  /** Hands over nothing more and waits for deliveries under way. */
  async drain(): Promise<void> {
    const readers = [...this.#partitions.values()].map(({ reader }) => reader);
    for (const reader of readers) reader.abandon();
    await Promise.all(readers.map((reader) => reader.idle()));
  }

  /** Messages from before what was read: the topic was made anew, and its offsets mean other messages. */
  #readerAt({ topic, partition }: FetchedBatch, first: bigint): PartitionReader {
    const key = keyOf(topic, partition);
    const known = this.#partitions.get(key)?.reader;
    if (known !== undefined && (known.next === undefined || first >= known.next)) return known;
    known?.abandon();
    const reader = new PartitionReader({
      ...this.#settings,
      pauseFetching: () => this.#session?.pause(topic, partition),
      resumeFetching: () => this.#session?.resume(topic, partition),
    });
    this.#partitions.set(key, { topic, partition, reader, committed: undefined });
    return reader;
  }
}

function keyOf(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}
