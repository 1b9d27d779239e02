import { preparationOf, sequencesOf } from "../../component/children.ts";
import type { Delivered, Input, InputContext } from "../../component/component.ts";
import { startLate } from "../../component/late-inputs.ts";
import { abort } from "../../concurrency/abort.ts";
import { type Backoff, createBackoff, pause } from "../../concurrency/backoff.ts";
import { GatewayError, MappingError } from "../../errors.ts";
import { startAt } from "../../failures/place.ts";
import type { Batch } from "../../message/message.ts";
import { logFailure, type QueryFunction } from "../../processors/functions.ts";
import { queryTrue } from "../../processors/mapping.ts";
import { type ReadUntilInputOptions, readUntilInputDefaults } from "./generated/input-options.ts";

/**
 * Reads from an input until a message fulfils the check, which is the last one to be delivered, or until nothing
 * arrives for some time. Further messages that the input has read are neither delivered nor acknowledged.
 */
export function readUntilInput(options: ReadUntilInputOptions): Input {
  const first = options.input();
  let reading: Reading | undefined;
  return {
    ...(first.endpoints && { endpoints: first.endpoints }),
    ...preparationOf([first]),
    ...sequencesOf([first]),
    async start(context) {
      reading = new Reading(options, first, context);
      await reading.start();
    },
    close: () => (reading === undefined ? first.close() : reading.close()),
    lag: () => reading?.lag(),
  };
}

/** One run of the input, from `start` to its end. */
class Reading {
  readonly #options: ReadUntilInputOptions;
  readonly #context: InputContext;
  readonly #closing = new AbortController();
  /** Batches that arrived before the end: retries of them are accepted. */
  readonly #admitted = new WeakSet<Batch>();
  #input: Input;
  #restarting: Promise<void> = Promise.resolve();
  #last: Batch | undefined;
  #underWay = 0;
  readonly #restarts: Backoff;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReadUntilInputOptions, input: Input, context: InputContext) {
    this.#options = options;
    this.#input = input;
    this.#context = context;
    const { initial_interval: first, max_interval: longest } = {
      ...readUntilInputDefaults.restart_backoff,
      ...options.restart_backoff,
    };
    this.#restarts = createBackoff({ first, longest });
  }

  async start(): Promise<void> {
    await this.#startInput(this.#input);
    this.#waitForMore();
  }

  async close(): Promise<void> {
    abort(this.#closing);
    clearTimeout(this.#timer);
    await this.#restarting;
    await this.#input.close();
  }

  /** See `Input.lag`. */
  lag(): number | undefined {
    return this.#input.lag?.();
  }

  #startInput(input: Input): Promise<void> {
    return startAt(input, {
      ...this.#context,
      deliver: (batch) => this.#deliver(batch),
      reportEnd: () => {
        if (this.#options.restart_input === true && this.#last === undefined) this.#restart();
        else this.#end();
      },
    });
  }

  /** Replaces an input that ended before the check was fulfilled. */
  #restart(): void {
    this.#restarting = this.#replaceInput();
  }

  async #replaceInput(): Promise<void> {
    await this.#input.close();
    const { signal } = this.#closing;
    await pause(this.#restarts.next(), signal);
    const begin = (input: Input) => this.#startInput(input);
    const started = await startLate(this.#options.input, begin, this.#context, signal);
    if (started !== undefined) this.#input = started;
  }

  async #deliver(batch: Batch): Promise<Delivered> {
    if (!this.#admitted.has(batch)) this.#admit(batch);
    clearTimeout(this.#timer);
    this.#restarts.reset();
    this.#underWay += 1;
    try {
      const delivered = await this.#context.deliver(batch === this.#last ? markFinal(batch) : batch);
      if (batch === this.#last) this.#end();
      return delivered;
    } finally {
      this.#underWay -= 1;
      this.#waitForMore();
    }
  }

  /** As in the reference, checks the first message of a batch; a check that fails counts as not fulfilled. */
  #admit(batch: Batch): void {
    const { check } = this.#options;
    if (this.#last !== undefined || this.#closing.signal.aborted) {
      throw new GatewayError(503, "The input has ended");
    }
    if (check !== undefined && this.#holds(check, batch)) this.#last = batch;
    this.#admitted.add(batch);
  }

  #holds(check: QueryFunction, batch: Batch): boolean {
    try {
      return queryTrue(check, batch, 0);
    } catch (error) {
      if (!(error instanceof MappingError)) throw error;
      logFailure(this.#context, "the check of a read_until", error);
      return false;
    }
  }

  #waitForMore(): void {
    const { idle_timeout: idleTimeout = 0 } = this.#options;
    clearTimeout(this.#timer);
    if (idleTimeout === 0 || this.#underWay > 0 || this.#closing.signal.aborted) return;
    if (this.#last === undefined) this.#timer = setTimeout(() => this.#end(), idleTimeout);
  }

  #end(): void {
    abort(this.#closing);
    clearTimeout(this.#timer);
    this.#context.reportEnd?.();
  }
}

/** Marks the first message of the batch that ends the input. */
function markFinal([first, ...others]: Batch): Batch {
  return first === undefined ? [] : [first.withEntries([["bento_read_until", "final"]]), ...others];
}
