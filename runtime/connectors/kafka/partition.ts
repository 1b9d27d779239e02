import type { Delivered } from "../../component/component.ts";
import type { Message } from "../../message/message.ts";
import type { PartPosition } from "../../message/positions.ts";

/** What a partition is read with. */
export interface PartitionSettings {
  /** Deliveries from the oldest that is under way on: what may come twice after a crash. */
  readonly limit: number;
  /** Messages that may wait besides before no more are fetched. */
  readonly ahead: number;
  /** Delivers until confirmed; gives `undefined` when `abandon` was aborted before. */
  deliver(message: Message, abandon: AbortSignal): Promise<Delivered | undefined>;
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
 * The messages of one partition between fetch and commit. They are handed over in order, and none while `limit` have
 * been since the oldest unconfirmed one; only what lies before that may be committed.
 */
export class PartitionReader {
  readonly #settings: PartitionSettings;
  readonly #abandoned = new AbortController();
  /** From the oldest unconfirmed message on, in order. */
  readonly #taken: Taken[] = [];
  /** How many of them have been handed over. */
  #handed = 0;
  #inFlight = 0;
  #paused = false;
  #held = false;
  #next: bigint;
  /** Who asked last what is undelivered, and how many of `#taken` it has passed over. */
  #asking: unknown;
  #passed = 0;
  #idle: (() => void)[] = [];

  /** Begins with the message at `start`. */
  constructor(start: bigint, settings: PartitionSettings) {
    this.#next = start;
    this.#settings = settings;
  }

  /** Offset of the next message to fetch. */
  get next(): bigint {
    return this.#next;
  }

  /** Offset of the oldest unconfirmed message, else `next`: what a commit may say. */
  get position(): bigint {
    return this.#taken[0]?.offset ?? this.#next;
  }

  get isAbandoned(): boolean {
    return this.#abandoned.signal.aborted;
  }

  /**
   * As `position`, but also passing over messages of which `isHanded` says so. A caller that repeats this with the same function
   * is asked once of each: what was handed stays so.
   */
  undelivered(part: string, isHanded: (position: PartPosition) => boolean): bigint {
    if (isHanded !== this.#asking) {
      this.#asking = isHanded;
      this.#passed = 0;
    }
    for (let open = this.#taken[this.#passed]; open !== undefined; open = this.#taken[this.#passed]) {
      if (!open.isConfirmed && !isHanded({ part, offset: open.offset })) return open.offset;
      this.#passed += 1;
    }
    return this.#next;
  }

  /** Takes fetched messages, which know their position, in order; what follows them begins at `next`. */
  take(messages: readonly Message[], next: bigint): void {
    for (const message of messages) {
      if (message.position === undefined) throw new Error("a record has no position");
      this.#taken.push({ offset: message.position.offset, message, isConfirmed: false });
    }
    this.#next = next;
    this.#pump();
  }

  /** Another member has delivered what lies before `offset`. */
  skipTo(offset: bigint): void {
    for (let [oldest] = this.#taken; oldest !== undefined && oldest.offset < offset; [oldest] = this.#taken) {
      this.#forgetOldest();
    }
  }

  /** Hands over nothing more until `proceed`: the owner of the partition is not known. */
  hold(): void {
    this.#held = true;
  }

  /** Goes on, maybe over another connection, which knows of no pause. */
  proceed(): void {
    this.#held = false;
    if (this.#paused) this.#settings.pauseFetching();
    this.#pump();
  }

  /** Hands over nothing more and cuts the pauses of failed deliveries short. */
  abandon(): void {
    const dropped = this.#taken[this.#handed];
    if (dropped !== undefined) {
      this.#next = dropped.offset;
      this.#taken.length = this.#handed;
      this.#passed = Math.min(this.#passed, this.#handed);
    }
    this.#abandoned.abort();
    if (this.#paused) this.#settings.resumeFetching(); // for a later reader of the same partition
    this.#paused = false;
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    if (this.#held || this.isAbandoned) return;
    while (this.#handed < this.#settings.limit) {
      const record = this.#taken[this.#handed];
      if (record === undefined) break;
      this.#handed += 1;
      this.#inFlight += 1;
      void this.#settings
        .deliver(record.message, this.#abandoned.signal)
        .then((delivered) => this.#settle(record, delivered !== undefined));
    }
    this.#steerFetching();
  }

  #settle(record: Taken, isConfirmed: boolean): void {
    record.isConfirmed = isConfirmed;
    while (this.#taken[0]?.isConfirmed === true) this.#forgetOldest();
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#pump();
  }

  #forgetOldest(): void {
    this.#taken.shift();
    this.#handed = Math.max(0, this.#handed - 1);
    this.#passed = Math.max(0, this.#passed - 1);
  }

  /** Fetching pauses while messages wait, and resumes early enough not to run dry. */
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
