import { setImmediate as nextTurn } from "node:timers/promises";
import type { Delivered, OutcomeListener } from "../../component/component.ts";
import { joinFailures } from "../../component/outcomes.ts";
import { type ProducerRecord, recordSize } from "./record.ts";

/** Records for one partition, in order. */
export interface PartitionRecords {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ProducerRecord[];
  /** Approximate size of the records in a request, in bytes. */
  readonly size: number;
}

/** The parts of a request that are not confirmed, each with its failure. */
export type Failures = ReadonlyMap<PartitionRecords, unknown>;

/** Learns whether its records were written: exactly one of the methods is called, once. */
export interface WriteListener {
  confirm(): void;
  fail(error: unknown): void;
}

const confirmed: Delivered = {};

/** The batches that are being written, by their number of records. */
export interface Turns {
  leave(records: number): void;
}

/** Collects the outcomes of the parts of a batch. Waits for all of them, even if some fail. */
export class Outcomes implements WriteListener {
  #left = 1;
  #failures: unknown[] | undefined = undefined;
  readonly #turns: Turns | undefined;
  readonly #records: number;
  readonly #resolve: (delivered: Delivered) => void;
  readonly #reject: (reason: unknown) => void;

  /** Calls `resolve`, or `reject` as `joinFailures` says, and before that leaves `turns`, if given. */
  constructor(
    turns: Turns | undefined,
    records: number,
    resolve: (delivered: Delivered) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#turns = turns;
    this.#records = records;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Waits for `count` more parts. */
  expect(count: number): void {
    this.#left += count;
  }

  confirm(): void {
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#turns?.leave(this.#records);
    if (this.#failures === undefined) this.#resolve(confirmed);
    else this.#reject(joinFailures(this.#failures));
  }

  fail(reason: unknown): void {
    this.#failures ??= [];
    this.#failures.push(reason);
    this.confirm();
  }
}

/** The settings of a sender. */
export interface SenderOptions {
  /** Returns the last known leader of a partition. It may be outdated: `send` finds the current one. */
  leaderOf(topic: string, partition: number): number;
  /** Sends one request; resolves once the outcome of each part is known. Rejects if none of them is confirmed. */
  send(parts: readonly PartitionRecords[]): Promise<Failures>;
  /**
   * Retries records of a failed request until they are confirmed or given up. `wasAlone`: whether the failure
   * concerns only these records.
   */
  sendAgain(part: PartitionRecords, failure: unknown, wasAlone: boolean): Promise<void>;
  /** Returns whether the records caused the failure, so that others may succeed without them. */
  isPermanent(error: unknown): boolean;
  /** Returns the failure of records that are given up, which says which of their messages are themselves at fault. */
  blame(error: unknown, records: readonly ProducerRecord[]): unknown;
  /** Largest number of bytes that are collected for one partition. */
  readonly largestPart: number;
}

/** Largest size of one request over all partitions, in bytes. */
const largestRequest = 8 * 1024 * 1024;

/** One of several records that are written at once, each with an outcome of its own. */
export interface EachRecord {
  readonly topic: string;
  readonly partition: number;
  readonly record: ProducerRecord;
  readonly size: number;
  /** Learns the outcome of the record by its index. */
  readonly listener: OutcomeListener;
  readonly index: number;
}

interface Write {
  readonly records: readonly ProducerRecord[];
  readonly size: number;
  readonly listener: WriteListener;
}

/** Records of one partition that were written at once, each with an outcome of its own. */
class EachWrite implements Write, WriteListener {
  readonly records: ProducerRecord[] = [];
  readonly #indexes: number[] = [];
  readonly #outcomes: OutcomeListener;
  size = 0;

  constructor(outcomes: OutcomeListener) {
    this.#outcomes = outcomes;
  }

  get listener(): WriteListener {
    return this;
  }

  /** Returns whether there was room for the record. */
  add({ record, size, listener, index }: EachRecord, room: number): boolean {
    if (listener !== this.#outcomes || (this.size > 0 && this.size + size > room)) return false;
    this.records.push(record);
    this.#indexes.push(index);
    this.size += size;
    return true;
  }

  confirm(): void {
    for (const index of this.#indexes) this.#outcomes.confirm(index);
  }

  fail(error: unknown): void {
    for (const index of this.#indexes) this.#outcomes.fail(index, error);
  }

  /** Returns a write for each record. */
  divide(): readonly Write[] {
    return this.records.map((record, place) => {
      const index = this.#indexes[place] ?? place;
      const listener: WriteListener = {
        confirm: () => this.#outcomes.confirm(index),
        fail: (error) => this.#outcomes.fail(index, error),
      };
      return { records: [record], size: recordSize(record), listener };
    });
  }
}

/** The writes to one partition. */
interface PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  waiting: Write[];
  /** Records that are neither confirmed nor failed. */
  pending: number;
  /** Whether records of the partition are being sent or about to be sent. Later records must not overtake them. */
  isBusy: boolean;
}

interface Taken {
  readonly queue: PartitionQueue;
  readonly writes: readonly Write[];
}

/**
 * Sends records to the brokers that lead their partitions, one request at a time to each broker. Records that arrive
 * during a request are collected for the next one: no timer delays them, and a retried request cannot overtake
 * another. If a request fails, each of its partitions is retried separately, while the others continue.
 */
export class Sender {
  readonly #options: SenderOptions;
  /** By topic and partition. */
  readonly #queues = new Map<string, Map<number, PartitionQueue>>();
  /** For each broker, the partitions that have records to send. An entry exists while requests are made. */
  readonly #lanes = new Map<number, Set<PartitionQueue>>();
  #idle: (() => void)[] = [];

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Calls `listener` once all records are confirmed, or with the failure. */
  write({ topic, partition, records, size }: PartitionRecords, listener: WriteListener): void {
    const queue = this.#queueOf(topic, partition);
    queue.pending += records.length;
    queue.waiting.push({ records, size, listener });
    if (!queue.isBusy) this.#offer(queue);
  }

  /** Adds a record to those with the same listener. */
  add(added: EachRecord): void {
    const queue = this.#queueOf(added.topic, added.partition);
    const { largestPart } = this.#options;
    queue.pending += 1;
    const last = queue.waiting.at(-1);
    if (!(last instanceof EachWrite && last.add(added, largestPart))) {
      const write = new EachWrite(added.listener);
      write.add(added, largestPart);
      queue.waiting.push(write);
    }
    if (!queue.isBusy) this.#offer(queue);
  }

  /** Returns the number of records of a partition that are neither confirmed nor failed. */
  pending(topic: string, partition: number): number {
    return this.#queues.get(topic)?.get(partition)?.pending ?? 0;
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Queues exist only while they hold records, because a computed topic may have any number of names. */
  #queueOf(topic: string, partition: number): PartitionQueue {
    const ofTopic = this.#queues.get(topic) ?? new Map<number, PartitionQueue>();
    const known = ofTopic.get(partition);
    if (known !== undefined) return known;
    const queue: PartitionQueue = { topic, partition, waiting: [], pending: 0, isBusy: false };
    if (ofTopic.size === 0) this.#queues.set(topic, ofTopic);
    ofTopic.set(partition, queue);
    return queue;
  }

  /** Adds the partition to the next request to its current leader. */
  #offer(queue: PartitionQueue): void {
    queue.isBusy = true;
    const leader = this.#options.leaderOf(queue.topic, queue.partition);
    const lane = this.#lanes.get(leader);
    if (lane !== undefined) lane.add(queue);
    else {
      const started = new Set([queue]);
      this.#lanes.set(leader, started);
      void this.#run(leader, started);
    }
  }

  async #run(leader: number, lane: Set<PartitionQueue>): Promise<void> {
    await nextTurn(); // writes of the same turn of the event loop share the first request
    while (lane.size > 0) await this.#sendTogether(this.#take(lane));
    this.#lanes.delete(leader);
  }

  /** Takes the writes of the next request, from the partitions that have waited longest. */
  #take(lane: Set<PartitionQueue>): Taken[] {
    const taken: Taken[] = [];
    let room = largestRequest;
    for (const queue of lane) {
      const writes = takeWrites(queue, Math.min(room, this.#options.largestPart), taken.length === 0);
      if (writes.length === 0) break;
      lane.delete(queue);
      taken.push({ queue, writes });
      room -= sizeOf(writes);
    }
    return taken;
  }

  async #sendTogether(taken: readonly Taken[]): Promise<void> {
    const parts = taken.map(partOf);
    let failures: Failures;
    try {
      failures = await this.#options.send(parts);
    } catch (error) {
      failures = new Map(parts.map((part) => [part, error]));
    }
    // Outside of `try`: a failure of a listener must not send the records a second time.
    for (const [index, each] of taken.entries()) {
      const part = parts[index];
      if (part !== undefined && failures.has(part)) {
        const failure = failures.get(part);
        // What Kafka never accepts, it has refused for this part.
        const wasAlone = taken.length === 1 || this.#options.isPermanent(failure);
        void this.#sendAlone(each, failure, wasAlone);
        continue;
      }
      for (const write of each.writes) this.#confirm(each.queue, write);
      this.#release(each.queue);
    }
  }

  /**
   * Retries the records of one partition.
   * A record that Kafka never accepts must not fail the records collected with it.
   */
  async #sendAlone(taken: Taken, first: unknown, wasAlone: boolean): Promise<void> {
    const { queue, writes } = taken;
    const failure = await failureOf(() => this.#options.sendAgain(partOf(taken), first, wasAlone));
    if (failure === undefined) for (const write of writes) this.#confirm(queue, write);
    else {
      const single = writes.flatMap((write) => (write instanceof EachWrite ? write.divide() : write));
      if (single.length > 1 && this.#options.isPermanent(failure.error))
        await this.#sendOneByOne({ queue, writes: single }, failure.error);
      else for (const write of writes) this.#fail(queue, write, failure.error);
    }
    this.#release(queue);
  }

  async #sendOneByOne({ queue, writes }: Taken, first: unknown): Promise<void> {
    for (const write of writes) {
      const failure = await failureOf(() =>
        this.#options.sendAgain(partOf({ queue, writes: [write] }), first, false),
      );
      if (failure === undefined) this.#confirm(queue, write);
      else this.#fail(queue, write, failure.error);
    }
  }

  #confirm(queue: PartitionQueue, { records, listener }: Write): void {
    queue.pending -= records.length;
    listener.confirm();
  }

  #fail(queue: PartitionQueue, { records, listener }: Write, error: unknown): void {
    queue.pending -= records.length;
    listener.fail(this.#options.blame(error, records));
  }

  #release(queue: PartitionQueue): void {
    queue.isBusy = false;
    if (queue.waiting.length > 0) this.#offer(queue);
    else this.#forget(queue);
    if (this.#queues.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #forget({ topic, partition }: PartitionQueue): void {
    const ofTopic = this.#queues.get(topic);
    ofTopic?.delete(partition);
    if (ofTopic?.size === 0) this.#queues.delete(topic);
  }
}

/** Takes as many writes as fit in `room`; if `mustTake`, at least one whatever its size. */
function takeWrites(queue: PartitionQueue, room: number, mustTake: boolean): Write[] {
  let size = 0;
  let count = 0;
  for (const write of queue.waiting) {
    size += write.size;
    if (size > room && !(mustTake && count === 0)) break;
    count += 1;
  }
  return queue.waiting.splice(0, count);
}

function sizeOf(writes: readonly Write[]): number {
  return writes.reduce((sum, { size }) => sum + size, 0);
}

function partOf({ queue: { topic, partition }, writes }: Taken): PartitionRecords {
  const records: ProducerRecord[] = [];
  // Every record passes here: a loop, because `flatMap` would cost more.
  for (const write of writes) for (const record of write.records) records.push(record);
  return { topic, partition, records, size: sizeOf(writes) };
}

/** Resolves with the failure of a request, which may also be thrown; with `undefined` if it succeeded. */
async function failureOf(send: () => Promise<unknown>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    return { error };
  }
}
