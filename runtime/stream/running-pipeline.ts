// One version of a stream at work, from the pipeline to the outputs.

import type { ErrorHandling, Output, Processor, StreamParts } from "../component/component.ts";
import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { abort } from "../concurrency/abort.ts";
import type { InFlight } from "../concurrency/in-flight.ts";
import { Ordering } from "../concurrency/ordering.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import type { GatewayError } from "../errors.ts";
import { describeFailure, failureSentence } from "../failures/description.ts";
import { startAt } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import { type Deliverer, Delivery } from "./delivery.ts";
import { closePart, contextIn, disconnectTime, type StreamScope } from "./stream-scope.ts";
import type { Release, StreamVersion } from "./stream-version.ts";

/** A running output. Versions of a stream that write to the same destination share one. */
class RunningOutput {
  readonly component: Output;
  /** Whether the output accepts messages that a processor failed on, as `ComponentContext.deliversFailed`. */
  readonly deliversFailed: boolean;
  readonly #scope: StreamScope;
  readonly #release: Release;
  readonly #ending = new AbortController();
  readonly #draining = new AbortController();
  #isReady = false;

  constructor(output: Output, deliversFailed: boolean, version: StreamVersion, scope: StreamScope) {
    this.component = output;
    this.deliversFailed = deliversFailed;
    this.#scope = scope;
    this.#release = version.hold();
  }

  /** Connects. Leaves nothing open if that fails. */
  async start(): Promise<void> {
    const { stopping, source } = this.#scope;
    const draining = () => AbortSignal.any([stopping, this.#draining.signal]);
    const own = { draining, deliversFailed: this.deliversFailed };
    try {
      const context = contextIn(this.#scope, "output", this.#ending.signal, own);
      await startAt(this.component, { ...context, source });
      this.#isReady = true;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** The endpoints that the output serves; none while it is not connected. */
  get endpoints(): readonly Endpoint[] {
    return this.#isReady ? (this.component.endpoints ?? []) : [];
  }

  /** The input sends nothing new: writes out the messages that were collected. */
  drain(): void {
    abort(this.#draining);
  }

  /** Another output replaces this one: disconnects, and asks clients to reconnect. */
  async leave(): Promise<void> {
    this.#isReady = false;
    this.drain();
    const closing = closePart(this.#scope, "output", this.component);
    if (!(await settlesWithin(closing, disconnectTime))) await this.end();
    abort(this.#ending);
    await this.#release();
  }

  /** The stream stops: disconnects within `time` milliseconds, and refuses messages in delivery. */
  async end(time = disconnectTime): Promise<void> {
    this.#isReady = false;
    this.drain();
    abort(this.#ending);
    await settlesWithin(closePart(this.#scope, "output", this.component), time);
    await this.#release(time);
  }
}

const rejecting: ErrorHandling = { strategy: "reject" };

/** One list for all streams without processors. */
const unprocessed: readonly Processor[] = [];

/** Parts of another pipeline that a new one continues to use. */
export interface Kept {
  /** Used instead of a new output. */
  readonly output?: RunningOutput | undefined;
  /** Shared, so that batches of the new pipeline do not overtake those of the old one. */
  readonly turns?: Semaphore | undefined;
  /** Shared for the same reason. */
  readonly ordering?: Ordering | undefined;
}

/** A running pipeline with its error handling and outputs. A batch passes one pipeline as a whole. */
export class RunningPipeline {
  readonly delivery: Deliverer;
  readonly #inFlight: InFlight;
  readonly version: StreamVersion;
  readonly output: RunningOutput;
  readonly errorHandling: ErrorHandling;
  readonly turns: Semaphore | undefined;
  readonly ordering: Ordering;
  /** Whether it uses the output of an earlier pipeline. */
  readonly keepsOutput: boolean;
  readonly #parts: StreamParts;
  readonly #scope: StreamScope;
  readonly #deadLetters: RunningOutput | undefined;
  readonly #release: Release;
  readonly #ending = new AbortController();
  readonly #draining = new AbortController();

  /** Creates the parts without opening anything. */
  constructor(version: StreamVersion, parts: StreamParts, scope: StreamScope, kept: Kept = {}) {
    this.version = version;
    this.#parts = parts;
    this.#scope = scope;
    this.#release = version.hold();
    const { pipeline = unprocessed, threads, output, errorHandling = rejecting } = parts;
    this.errorHandling = errorHandling;
    const deliversFailed = errorHandling.strategy === "none";
    this.keepsOutput = kept.output !== undefined;
    this.output = kept.output ?? new RunningOutput(output, deliversFailed, version, scope);
    const letters = errorHandling.output;
    this.#deadLetters = letters && new RunningOutput(letters, deliversFailed, version, scope);
    this.turns = threads === undefined ? undefined : (kept.turns ?? new Semaphore(threads));
    this.ordering = kept.ordering ?? new Ordering();
    const { stream, counters, observer, tap } = scope;
    const isUnprocessed = pipeline.length === 0 && threads === undefined && kept.ordering === undefined;
    const way = {
      stream,
      pipeline: errorHandling.log === undefined ? pipeline : pipeline.map(errorHandling.log),
      turns: this.turns,
      // Batches that are processed one at a time are in order, and so are those that nothing processes, now or before.
      ordering: threads === 1 || isUnprocessed ? undefined : this.ordering,
      output: this.output.component,
      errorHandling,
      tap,
    };
    const context = this.#context(deliversFailed);
    const delivery = new Delivery(way, context, counters, observer);
    this.#inFlight = delivery;
    const { repeat, max_attempts: attempts = 0 } = errorHandling;
    const attempt = (...given: Parameters<Deliverer["deliver"]>) => delivery.deliver(...given);
    const repeated = repeat?.(attempt, context.log, context.signal, attempts);
    this.delivery = repeated === undefined ? delivery : { deliver: repeated };
  }

  /** Connects the outputs. If that fails, leaves nothing open except what it shares. */
  async start(): Promise<void> {
    try {
      await this.version.start();
      if (!this.keepsOutput) await this.output.start();
      await this.#deadLetters?.start();
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** The number of batches that may be in the processors at the same time. */
  get threads(): number | undefined {
    return this.#parts.threads;
  }

  /** The number of batches in delivery. */
  get open(): number {
    return this.#inFlight.count;
  }

  /** Returns the endpoints of a role; none while it is not connected. */
  endpointsOf(role: Exclude<EndpointRole, "input">): RunningOutput["endpoints"] {
    return (role === "output" ? this.output : this.#deadLetters)?.endpoints ?? [];
  }

  /** Gives up a batch after its last attempt. Logs what the dead-letter output refuses for good: no attempt can change that. */
  async giveUp(batch: Batch, failure: GatewayError): Promise<void> {
    const { log, counters, stream } = this.#scope;
    const letters = this.errorHandling.letters?.();
    const output = this.#deadLetters?.component;
    const report = (messages: number, refusal?: GatewayError) => {
      if (messages === 0) return;
      log.error("message abandoned after its last attempt", {
        messages,
        deadLetter: refusal === undefined && output !== undefined,
        ...(refusal && { deadLetterFailure: failureSentence(describeFailure(refusal)) }),
        ...describeFailure(failure),
        status: failure.status,
      });
    };
    if (letters === undefined || output === undefined) return report(batch.length);
    const written = batch.flatMap((message) => letters.of(message.withFailure(failure), stream));
    let refused: Batch = [];
    let refusal: GatewayError | undefined;
    try {
      await letters.write(output, written);
    } catch (error) {
      if (!letters.isUnfit(error)) throw error;
      refusal = error;
      refused = error.undelivered(written);
    }
    counters.deadLettered += written.length - refused.length;
    report(written.length - refused.length);
    report(refused.length, refusal);
  }

  /** Resolves when no batch is in delivery. Call it when no new batch can arrive. */
  empty(): Promise<void> {
    abort(this.#draining);
    return this.#inFlight.empty();
  }

  /** Disconnects what the pipeline that replaces this one does not use. Call it after `empty` has resolved. */
  async leave(endsOutput: boolean): Promise<void> {
    await Promise.all([
      endsOutput ? this.output.leave() : undefined,
      this.#deadLetters?.leave(),
      this.#closePipeline(),
    ]);
    // Batches that are still in delivery wait in an output that continues.
    await this.empty();
    await this.#release();
  }

  /** The stream stops or does not need it: disconnects within `time` milliseconds, and refuses messages in delivery. */
  async end(endsOutput = !this.keepsOutput, time = disconnectTime): Promise<void> {
    await Promise.all([
      endsOutput ? this.output.end(time) : undefined,
      this.#deadLetters?.end(time),
      this.#closePipeline(time),
    ]);
    await this.#release(time);
  }

  async #closePipeline(time = disconnectTime): Promise<void> {
    abort(this.#ending);
    const { pipeline = [] } = this.#parts;
    const closing = pipeline.map((processor) => closePart(this.#scope, "pipeline", processor));
    await settlesWithin(Promise.all(closing), time);
  }

  #context(deliversFailed: boolean) {
    const draining = () => AbortSignal.any([this.#scope.stopping, this.#draining.signal]);
    return contextIn(this.#scope, "pipeline", this.#ending.signal, { draining, deliversFailed });
  }
}
