import type { Message as ProducerMessage } from "kafkajs";
import { recordSize } from "./record.ts";

/** What a producer sends in one request; kept below the largest record batch brokers take by default. */
const largestRequest = 900_000;

interface Waiting {
  readonly records: readonly ProducerMessage[];
  readonly size: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** How a lane sends. */
export interface LaneOptions {
  /** Sends records in order and resolves once they are confirmed; never called while it is under way. */
  send(records: ProducerMessage[]): Promise<void>;
  /** Whether a failure lies in what was sent, so that other records may fare better without it. */
  isPermanent(error: unknown): boolean;
  /** Called when everything written is settled. */
  onIdle(): void;
}

/**
 * The writes to one topic. What comes while a request is under way is collected for the next one: nothing
 * waits for a timer, and a request that is repeated cannot overtake another.
 */
export class Lane {
  readonly #options: LaneOptions;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Resolves once all records are confirmed. */
  write(records: readonly ProducerMessage[]): Promise<void> {
    const size = records.reduce((sum, record) => sum + recordSize(record), 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, size, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // writes of the same moment share the first request
    while (this.#waiting.length > 0) await this.#sendTogether(this.#takeRequest());
    this.#running = undefined;
    this.#options.onIdle();
  }

  #takeRequest(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      size += waiting.size;
      if (count > 0 && size > largestRequest) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #sendTogether(writes: readonly Waiting[]): Promise<void> {
    try {
      await this.#options.send(writes.flatMap(({ records }) => records));
      for (const { resolve } of writes) resolve();
    } catch (error) {
      if (writes.length > 1 && this.#options.isPermanent(error)) await this.#sendOneByOne(writes);
      else for (const { reject } of writes) reject(error);
    }
  }

  /** One record that Kafka will never take must not fail those it happened to be collected with. */
  async #sendOneByOne(writes: readonly Waiting[]): Promise<void> {
    for (const write of writes) await this.#sendTogether([write]);
  }
}
