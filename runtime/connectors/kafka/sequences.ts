// The sequence numbers of an idempotent producer (KIP-98), by which brokers recognise records that are sent again.

import type { ProducerIdentity } from "./record-batch.ts";

/** Records of one partition that are sent in one request. */
interface SentRecords {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly object[];
}

/** Records by the first of them. They are not kept: a write may have been given up. */
interface Claim {
  readonly first: WeakRef<object>;
  readonly count: number;
}

/** The numbers of the records of one partition. */
export interface Numbering extends ProducerIdentity {
  /** The producer at the time of that request. */
  readonly producer: Promise<ProducerIdentity>;
  /** The number of the first record that is not confirmed. */
  next: number;
  /** The records that may have been written with the numbers from `next` on. */
  claimed: Claim | undefined;
  /** Whether the records may have been written by an earlier request. */
  isRepeated: boolean;
}

/** Number of partitions whose numbers are kept; a computed topic may have any number of names. */
const mostPartitions = 10_000;

/**
 * Numbers the records of each partition. Records that may have been written keep their numbers until they are confirmed. If
 * other records follow them, the partition gets a new producer: with the same numbers, the broker would treat these records as
 * duplicates and drop them. Other partitions keep their producer, so that brokers recognise what they repeat.
 */
export class Sequences {
  readonly #introduce: () => Promise<ProducerIdentity>;
  /** The producer of partitions that begin now. */
  #producer: Promise<ProducerIdentity> | undefined;
  /** By partition and topic. */
  readonly #numberings = new Map<string, Numbering>();

  /** `introduce` requests from a broker a producer that has written nothing. */
  constructor(introduce: () => Promise<ProducerIdentity>) {
    this.#introduce = introduce;
  }

  /** Resolves with the producer of partitions that begin now; it is requested from a broker if there is none. */
  identify(): Promise<ProducerIdentity> {
    if (this.#producer !== undefined) return this.#producer;
    const producer = this.#introduce();
    this.#producer = producer;
    producer.catch(() => {
      if (this.#producer === producer) this.#producer = undefined;
    });
    return producer;
  }

  /** Resolves with the numbers of each part's records. A partition has one request at a time. */
  async claim(parts: readonly SentRecords[]): Promise<readonly Numbering[]> {
    const numberings: Numbering[] = [];
    for (const part of parts) numberings.push(this.#usable(part) ?? (await this.#begin(part)));
    return numberings;
  }

  /** Records that brokers have the records of the part. */
  confirm({ records }: SentRecords, numbering: Numbering): void {
    // Numbers continue with 0 after the largest 32-bit number.
    numbering.next = (numbering.next + records.length) % 2 ** 31;
    numbering.claimed = undefined;
  }

  /** Records that a broker has written nothing of a request and will not. An earlier request may have written the records. */
  refuse(numbering: Numbering): void {
    if (!numbering.isRepeated) numbering.claimed = undefined;
  }

  /** Makes the next records of the part's partition those of a new producer. */
  end(part: SentRecords): void {
    const name = nameOf(part);
    if (this.#numberings.get(name)?.producer === this.#producer) this.#producer = undefined;
    this.#numberings.delete(name);
  }

  #usable(part: SentRecords): Numbering | undefined {
    const known = this.#numberings.get(nameOf(part));
    if (known === undefined) return undefined;
    if (known.claimed !== undefined && !isClaimed(part.records, known.claimed)) {
      this.end(part);
      return undefined;
    }
    known.isRepeated = known.claimed !== undefined;
    known.claimed ??= claimOf(part.records);
    return known;
  }

  async #begin(part: SentRecords): Promise<Numbering> {
    if (this.#numberings.size >= mostPartitions) this.#forget();
    const producer = this.identify();
    const { id, epoch } = await producer;
    const claimed = claimOf(part.records);
    const numbering: Numbering = { id, epoch, producer, next: 0, claimed, isRepeated: false };
    this.#numberings.set(nameOf(part), numbering);
    return numbering;
  }

  /** Forgets all partitions that have no request. They begin again with a new producer. */
  #forget(): void {
    for (const [name, { claimed }] of this.#numberings)
      if (claimed === undefined) this.#numberings.delete(name);
    this.#producer = undefined;
  }
}

/** Returns a text that names a partition of a topic. */
export function nameOf({ topic, partition }: Pick<SentRecords, "topic" | "partition">): string {
  return `${partition} ${topic}`;
}

function claimOf(records: readonly object[]): Claim | undefined {
  const [first] = records;
  return first && { first: new WeakRef(first), count: records.length };
}

function isClaimed(records: readonly object[], { first, count }: Claim): boolean {
  return records.length === count && records[0] === first.deref();
}
