// The way of messages through one version of a stream: from its pipeline to its outputs at work.

import type { ErrorHandling, Output, StreamParts } from "../component/component.ts";
import type { Endpoint, EndpointRole } from "../component/endpoint.ts";
import { InFlight } from "../concurrency/in-flight.ts";
import { Ordering } from "../concurrency/ordering.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import type { GatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { contextAt } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import { createDelivery, type Deliver, type Flow } from "./delivery.ts";
import { closePart, contextIn, disconnectTime, type StreamScope } from "./stream-scope.ts";
import type { Release, StreamVersion } from "./stream-version.ts";

/** An output from its start to its end; versions of a stream that write to the same place share one. */
class RunningOutput {
  readonly component: Output;
  /** Whether it is given messages that a processor failed on, as `ComponentContext.deliversFailed`. */
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

  /** Connects; leaves nothing open where that fails. */
  async start(): Promise<void> {
    const { stopping, source } = this.#scope;
    const draining = AbortSignal.any([stopping, this.#draining.signal]);
    const own = { draining, deliversFailed: this.deliversFailed };
    try {
      const context = contextIn(this.#scope, "output", this.#ending.signal, own);
      await this.component.start(contextAt({ ...context, source }, this.component));
      this.#isReady = true;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** What it serves; nothing while it is not connected. */
  get endpoints(): readonly Endpoint[] {
    return this.#isReady ? (this.component.endpoints ?? []) : [];
  }

  /** Nothing new comes from the stream's input: it hands on what it has collected. */
  drain(): void {
    this.#draining.abort();
  }

  /** Another takes its place: it disconnects, and its clients are asked to reconnect. */
  async leave(): Promise<void> {
    this.#isReady = false;
    this.drain();
    const closing = closePart(this.#scope, "output", this.component);
    if (!(await settlesWithin(closing, disconnectTime))) await this.end();
    this.#ending.abort();
    await this.#release();
  }

  /** The stream stops: it disconnects within `time` milliseconds, and refuses what is in flight. */
  async end(time = disconnectTime): Promise<void> {
    this.#isReady = false;
    this.drain();
    this.#ending.abort();
    await settlesWithin(closePart(this.#scope, "output", this.component), time);
    await this.#release(time);
  }
}

const rejecting: ErrorHandling = { strategy: "reject" };

/** What of another pipeline goes on in a new one. */
export interface Kept {
  /** Instead of a new output. */
  readonly output?: RunningOutput | undefined;
  /** Batches wait for their turns together, so that those of the new pipeline do not overtake the others. */
  readonly turns?: Semaphore | undefined;
  /** Batches keep their order together, as above. */
  readonly ordering?: Ordering | undefined;
}

/** A pipeline, error handling and outputs at work. A batch passes one pipeline as a whole. */
export class RunningPipeline implements Flow {
  readonly version: StreamVersion;
  readonly output: RunningOutput;
  readonly errorHandling: ErrorHandling;
  readonly deliver: Deliver;
  readonly turns: Semaphore | undefined;
  readonly ordering: Ordering;
  /** Whether its output is that of a pipeline before it. */
  readonly keepsOutput: boolean;
  readonly #parts: StreamParts;
  readonly #scope: StreamScope;
  readonly #deadLetters: RunningOutput | undefined;
  readonly #release: Release;
  readonly #ending = new AbortController();
  readonly #draining = new AbortController();
  readonly #inFlight = new InFlight();

  /** Opens nothing. */
  constructor(version: StreamVersion, parts: StreamParts, scope: StreamScope, kept: Kept = {}) {
    this.version = version;
    this.#parts = parts;
    this.#scope = scope;
    this.#release = version.hold();
    const { pipeline = [], threads, output, errorHandling = rejecting } = parts;
    this.errorHandling = errorHandling;
    const deliversFailed = errorHandling.strategy === "none";
    this.keepsOutput = kept.output !== undefined;
    this.output = kept.output ?? new RunningOutput(output, deliversFailed, version, scope);
    const letters = errorHandling.output;
    this.#deadLetters = letters && new RunningOutput(letters, deliversFailed, version, scope);
    this.turns = threads === undefined ? undefined : (kept.turns ?? new Semaphore(threads));
    this.ordering = kept.ordering ?? new Ordering();
    const { stream, counters, observer, tap } = scope;
    const delivery = {
      stream,
      pipeline: errorHandling.log === undefined ? pipeline : pipeline.map(errorHandling.log),
      turns: this.turns,
      // One at a time, batches are in order.
      ordering: threads === 1 ? undefined : this.ordering,
      output: this.output.component,
      errorHandling,
      tap,
    };
    const context = this.#context(deliversFailed);
    const deliver = createDelivery(delivery, context, counters, observer, this);
    const { repeat, max_attempts: attempts = 0 } = errorHandling;
    this.deliver = repeat === undefined ? deliver : repeat(deliver, context.log, context.signal, attempts);
  }

  /** Connects its outputs; leaves nothing open, but what it was to keep, where that fails. */
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

  /** Batches among the processors at a time. */
  get threads(): number | undefined {
    return this.#parts.threads;
  }

  /** Batches that are on their way. */
  get open(): number {
    return this.#inFlight.count;
  }

  began(): void {
    this.#inFlight.begin();
  }

  ended(): void {
    this.#inFlight.end();
  }

  /** What serves a role, by its place; nothing while it is not connected. */
  endpointsOf(role: Exclude<EndpointRole, "input">): RunningOutput["endpoints"] {
    return (role === "output" ? this.output : this.#deadLetters)?.endpoints ?? [];
  }

  /** A batch after its last attempt. */
  async giveUp(batch: Batch, failure: GatewayError): Promise<void> {
    const { log, counters, stream } = this.#scope;
    const letters = this.errorHandling.letters?.();
    const output = this.#deadLetters?.component;
    let isWritten = false;
    if (letters !== undefined && output !== undefined) {
      try {
        await letters.write(
          output,
          batch.flatMap((message) => letters.of(message.withFailure(failure), stream)),
        );
        isWritten = true;
      } catch (error) {
        // No attempt can change that either.
        if (!letters.isUnfit(error)) throw error;
      }
    }
    if (isWritten) counters.deadLettered += batch.length;
    log.error("message given up after its last attempt", {
      messages: batch.length,
      deadLetter: isWritten,
      ...describeFailure(failure),
      status: failure.status,
    });
  }

  /** Resolves when nothing is on its way; to be asked when no batch comes any more. */
  empty(): Promise<void> {
    this.#draining.abort();
    return this.#inFlight.empty();
  }

  /** Another pipeline has taken its place, and `empty` has been waited for: disconnects what that one does not keep. */
  async leave(endsOutput: boolean): Promise<void> {
    await Promise.all([
      endsOutput ? this.output.leave() : undefined,
      this.#deadLetters?.leave(),
      this.#closePipeline(),
    ]);
    // Whatever is still on its way waits in an output that goes on.
    await this.empty();
    await this.#release();
  }

  /** The stream stops, or does not need it: disconnects within `time` milliseconds, and refuses what is in flight. */
  async end(endsOutput = !this.keepsOutput, time = disconnectTime): Promise<void> {
    await Promise.all([
      endsOutput ? this.output.end(time) : undefined,
      this.#deadLetters?.end(time),
      this.#closePipeline(time),
    ]);
    await this.#release(time);
  }

  async #closePipeline(time = disconnectTime): Promise<void> {
    this.#ending.abort();
    const { pipeline = [] } = this.#parts;
    const closing = pipeline.map((processor) => closePart(this.#scope, "pipeline", processor));
    await settlesWithin(Promise.all(closing), time);
  }

  #context(deliversFailed: boolean) {
    const draining = AbortSignal.any([this.#scope.stopping, this.#draining.signal]);
    return contextIn(this.#scope, "pipeline", this.#ending.signal, { draining, deliversFailed });
  }
}
