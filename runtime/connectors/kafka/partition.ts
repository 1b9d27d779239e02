import type { Message } from "../../message.ts";

/** A message of a partition and where it stood. */
export interface PartitionRecord {
  readonly offset: bigint;
  readonly message: Message;
}

/** What a partition is read with. */
export interface PartitionSettings {
  /** Deliveries under way at once. */
  readonly limit: number;
  /** Messages that may wait besides before no more are fetched. */
  readonly ahead: number;
  /** Delivers until confirmed; `false` when `abandon` was aborted before. */
  deliver(message: Message, abandon: AbortSignal): Promise<boolean>;
  /** Stops and resumes fetching of this partition. */
  pauseFetching(): void;
  resumeFetching(): void;
}

/**
 * The messages of one partition between fetch and commit. They are handed over in order, at most `limit`
 * at a time, and only what lies before the oldest unconfirmed one may be committed.
 */
export class PartitionReader {
  readonly #settings: PartitionSettings;
  readonly #abandoned = new AbortController();
  #waiting: PartitionRecord[] = [];
  #inFlight = 0;
  #paused = false;
  #next: bigint | undefined;
  /** Offsets taken and not confirmed, oldest first. */
  readonly #unconfirmed = new Set<bigint>();
  #idle: (() => void)[] = [];

  constructor(settings: PartitionSettings) {
    this.#settings = settings;
  }

  /** Offset after the newest message taken; `undefined` before the first. */
  get next(): bigint | undefined {
    return this.#next;
  }

  /** Offset of the oldest unconfirmed message, else `next`: what a commit may say. */
  get position(): bigint | undefined {
    for (const offset of this.#unconfirmed) return offset;
    return this.#next;
  }

  /** Takes fetched messages, in order. */
  take(records: readonly PartitionRecord[]): void {
    for (const record of records) {
      this.#unconfirmed.add(record.offset);
      this.#next = record.offset + 1n;
      this.#waiting.push(record);
    }
    this.#pump();
  }

  /** Hands over nothing more and cuts the pauses of failed deliveries short. */
  abandon(): void {
    this.#waiting = [];
    this.#abandoned.abort();
    if (this.#paused) this.#settings.resumeFetching(); // for a later reader of the same partition
    this.#paused = false;
  }

  /** Pauses fetching again where it was: another connection knows nothing of it. */
  reconnected(): void {
    if (this.#paused) this.#settings.pauseFetching();
  }

  /** Resolves when no delivery is under way. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#inFlight < this.#settings.limit) {
      const record = this.#waiting.shift();
      if (record === undefined) break;
      this.#inFlight += 1;
      void this.#deliver(record);
    }
    this.#steerFetching();
  }

  async #deliver({ offset, message }: PartitionRecord): Promise<void> {
    const confirmed = await this.#settings.deliver(message, this.#abandoned.signal);
    if (confirmed) this.#unconfirmed.delete(offset);
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
    if (!this.#abandoned.signal.aborted) this.#pump();
  }

  /** Fetching pauses while messages wait, and resumes early enough not to run dry. */
  #steerFetching(): void {
    const { ahead, pauseFetching, resumeFetching } = this.#settings;
    if (!this.#paused && this.#waiting.length >= ahead) {
      this.#paused = true;
      pauseFetching();
    } else if (this.#paused && this.#waiting.length <= ahead / 2) {
      this.#paused = false;
      resumeFetching();
    }
  }
}
