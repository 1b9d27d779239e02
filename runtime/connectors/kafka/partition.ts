import type { Delivered, InputContext } from "../../component/component.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import {
  createRedelivery,
  createRedeliveryOfEach,
  type DeliverMessages,
  type Redelivery,
  withReplay,
} from "../../component/redelivery.ts";
import type { RateLimit } from "../../component/resource.ts";
import { abort } from "../../concurrency/abort.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { afterwards } from "../../concurrency/rounds.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import type { Message } from "../../message/message.ts";
import type { PartPosition } from "../../message/positions.ts";

/** The settings of a partition reader. */
export interface PartitionSettings {
  /**
   * Largest number of deliveries from the oldest unconfirmed one on:
   * the most that can be delivered twice after a crash.
   */
  readonly limit: number;
  /** Number of further messages that may wait before fetching pauses. */
  readonly ahead: number;
  readonly deliver: DeliverMessages;
  /** Stops and resumes fetching of this partition. */
  pauseFetching(): void;
  resumeFetching(): void;
}

interface Taken {
  readonly offset: bigint;
  readonly message: Message;
  isConfirmed: boolean;
}

/**
 * The messages of one partition between fetch and commit. Delivers them in order, at most `limit` from the oldest
 * unconfirmed one on. Only offsets before the oldest unconfirmed message may be committed.
 */
export class PartitionReader {
  readonly #settings: PartitionSettings;
  readonly #abandoned = new AbortController();
  /** The messages from the oldest unconfirmed one on, in order. */
  readonly #taken = new Fifo<Taken>();
  /** The number of these messages that have been delivered. */
  #handed = 0;
  #inFlight = 0;
  #paused = false;
  #held = false;
  #next: bigint;
  /** The latest argument of `undelivered`, and the number of `#taken` that it has passed. */
  #asking: unknown;
  #passed = 0;
  #idle: (() => void)[] = [];
  /** Records of one request are confirmed together: those that follow are delivered together, too. */
  readonly #pumpSoon = afterwards(() => this.#pump());

  /** Starts with the message at `start`. */
  constructor(start: bigint, settings: PartitionSettings) {
    this.#next = start;
    this.#settings = settings;
  }

  /** The offset of the next message to fetch. */
  get next(): bigint {
    return this.#next;
  }

  /** The offset of the oldest unconfirmed message, or `next` if there is none. This offset may be committed. */
  get position(): bigint {
    return this.#taken.at(0)?.offset ?? this.#next;
  }

  get isAbandoned(): boolean {
    return this.#abandoned.signal.aborted;
  }

  /**
   * Like `position`, but also passes messages for which `isHanded` returns true. If a caller repeats this with the
   * same function, the function is called once for each passed message: a message that was handed over stays so.
   */
  undelivered(part: string, isHanded: (position: PartPosition) => boolean): bigint {
    if (isHanded !== this.#asking) {
      this.#asking = isHanded;
      this.#passed = 0;
    }
    for (let open = this.#taken.at(this.#passed); open !== undefined; open = this.#taken.at(this.#passed)) {
      if (!open.isConfirmed && !isHanded({ part, offset: open.offset })) return open.offset;
      this.#passed += 1;
    }
    return this.#next;
  }

  /** Takes fetched messages with their positions, in order. `next`: the offset of the message that follows them. */
  take(messages: readonly Message[], next: bigint): void {
    for (const message of messages) {
      if (message.position === undefined) throw new Error("a record has no position");
      this.#taken.push({ offset: message.position.offset, message, isConfirmed: false });
    }
    this.#next = next;
    this.#pump();
  }

  /** Drops the messages before `offset`: another member has delivered them. */
  skipTo(offset: bigint): void {
    while ((this.#taken.at(0)?.offset ?? offset) < offset) this.#forgetOldest();
  }

  /** Delivers nothing more until `proceed`, because the owner of the partition is not known. */
  hold(): void {
    this.#held = true;
  }

  /** Continues. The connection may be new and not paused: pauses fetching again if necessary. */
  proceed(): void {
    this.#held = false;
    if (this.#paused) this.#settings.pauseFetching();
    this.#pump();
  }

  /** Delivers nothing more, and ends the pauses before retries of failed deliveries. */
  abandon(): void {
    const [dropped] = this.#taken.splice(this.#handed);
    if (dropped !== undefined) {
      this.#next = dropped.offset;
      this.#passed = Math.min(this.#passed, this.#handed);
    }
    abort(this.#abandoned);
    if (this.#paused) this.#settings.resumeFetching(); // for a later reader of the same partition
    this.#paused = false;
  }

  /** Resolves when no delivery is in progress. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    if (this.#held || this.isAbandoned) return;
    const records = this.#taken.slice(this.#handed, this.#settings.limit);
    if (records.length > 0) {
      this.#handed += records.length;
      this.#inFlight += records.length;
      const messages = records.map(({ message }) => message);
      this.#settings.deliver(messages, this.#abandoned.signal, (index, isConfirmed) =>
        this.#settle(records[index], isConfirmed),
      );
    }
    this.#steerFetching();
  }

  #settle(record: Taken | undefined, isConfirmed: boolean): void {
    if (record !== undefined) record.isConfirmed = isConfirmed;
    while (this.#taken.at(0)?.isConfirmed === true) this.#forgetOldest();
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#pumpSoon();
  }

  #forgetOldest(): void {
    this.#taken.shift();
    this.#handed = Math.max(0, this.#handed - 1);
    this.#passed = Math.max(0, this.#passed - 1);
  }

  /** Pauses fetching while too many messages wait, and resumes it early enough that messages do not run out. */
  #steerFetching(): void {
    const { ahead, pauseFetching, resumeFetching } = this.#settings;
    const waiting = this.#taken.length - this.#handed;
    if (!this.#paused && waiting >= ahead) {
      this.#paused = true;
      pauseFetching();
    } else if (this.#paused && waiting <= ahead / 2) {
      this.#paused = false;
      resumeFetching();
    }
  }
}

/** How messages are delivered. */
export interface DeliverySettings {
  /** Whether failed deliveries are retried until they succeed. */
  readonly replays: boolean;
  /** The rate limit for which every message waits. */
  readonly rateLimit?: RateLimit | undefined;
}

const sourceOf = /* @__PURE__ */ sourceFrom({
  topic: "kafka_topic",
  partition: "kafka_partition",
  offset: "kafka_offset",
});

/** Returns a function that delivers the messages of one partition. */
export function createDelivery(
  { replays, rateLimit }: DeliverySettings,
  context: InputContext,
): DeliverMessages {
  const target = withReplay(context, replays);
  if (rateLimit === undefined) return createRedeliveryOfEach(target, sourceOf);
  return limited(rateLimit, createRedelivery(target, sourceOf), context);
}

/** Delivers messages one after the other, so that the messages of a partition stay in order. */
function limited(rateLimit: RateLimit, redelivery: Redelivery, context: InputContext): DeliverMessages {
  const order = new Semaphore(1);
  async function deliver(message: Message, abandon: AbortSignal): Promise<Delivered | undefined> {
    try {
      const waiter = { log: context.log, signal: abandon };
      await order.use(() => waitForLimit(rateLimit, message.bytes().length, waiter));
    } catch (error) {
      if (abandon.aborted) return undefined;
      throw error;
    }
    return redelivery.deliver([message], abandon);
  }
  return (messages, abandon, settle) => {
    for (const [index, message] of messages.entries()) {
      void deliver(message, abandon).then((delivered) => settle(index, delivered !== undefined));
    }
  };
}
