// One stream from start to stop: connects its output, then its input, again and again until it succeeds.

import { type Backoff, type BackoffOptions, createBackoff, pause } from "./backoff.ts";
import type {
  ComponentContext,
  Demand,
  Endpoint,
  EndpointRole,
  Input,
  InputContext,
  StreamSource,
} from "./component.ts";
import { settlesWithin } from "./deadline.ts";
import {
  createCounters,
  createDelivery,
  type Deliver,
  type DeliveryCounters,
  toDeadLetter,
} from "./delivery.ts";
import { EnvironmentError } from "./environment.ts";
import { GatewayError } from "./errors.ts";
import type { Logger } from "./log.ts";
import { LostConnections } from "./lost-connections.ts";
import type { Batch } from "./message.ts";
import type { GatewayObserver, StreamObserver } from "./observer.ts";
import { SharedResources } from "./shared-resources.ts";
import type { ErrorHandling, StreamParts } from "./stream-parts.ts";
import type { StreamState, StreamStatus } from "./stream-state.ts";

/** What to run. */
export interface StreamSpec {
  readonly api: string;
  readonly stream: string;
  /** Makes unstarted parts; each start of an input or output gets its own. `again` makes those that share. */
  readonly create: (again?: () => StreamParts) => StreamParts;
}

export interface StreamOptions {
  readonly log: Logger;
  /** Pauses between attempts to connect. */
  readonly backoff: BackoffOptions;
  /** Milliseconds an input stays connected after the last client left. */
  readonly demandGrace: number;
  /** Is the same for all streams of a gateway, and for no other. */
  readonly gateway?: object;
  readonly observer?: GatewayObserver;
}

const rejecting: ErrorHandling = { strategy: "reject" };
/** Milliseconds a component gets to disconnect once nothing is in flight any more. */
const disconnectTime = 5_000;

interface InputSession {
  readonly input: Input;
  readonly controller: AbortController;
  blocked: boolean;
  /** The input has given all there ever is. */
  ended: boolean;
}

/** A stream that was started once; stopping is final. */
export class Stream {
  readonly #spec: StreamSpec;
  readonly #options: StreamOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  readonly #counters: DeliveryCounters = createCounters();
  readonly #stopping = new AbortController();
  readonly #outputEnd = new AbortController();
  readonly #driven: Promise<void>;
  readonly #settled = Promise.withResolvers<void>();
  readonly #lost = new LostConnections();
  readonly #resources: SharedResources;
  readonly #observer: StreamObserver | undefined;
  #parts: StreamParts;
  /** The input that came with `#parts`, until it is used. */
  #unusedInput: Input | undefined;
  #session: InputSession | undefined;
  #outputReady = false;
  #isFinished = false;
  #status: StreamStatus = "starting";
  #failure: { readonly reason: string; readonly nextAttempt: string } | undefined;
  #stopped: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  /** Begins to connect; `parts` are the ones to use first, made by `spec.create`. */
  constructor(spec: StreamSpec, parts: StreamParts, options: StreamOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#log = options.log.with({ api: spec.api, stream: spec.stream });
    this.#backoff = createBackoff(options.backoff);
    this.#parts = parts;
    this.#unusedInput = parts.input;
    this.#resources = new SharedResources(parts.resources ?? []);
    this.#observer = options.observer?.stream(spec.api, spec.stream);
    this.#stopping.signal.addEventListener("abort", () => this.#wake());
    this.#driven = this.#drive();
  }

  get spec(): StreamSpec {
    return this.#spec;
  }

  /** Resolves once it runs, waits for a client, has failed to start or was stopped. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** What operators see now. */
  state(): StreamState {
    const { api, stream } = this.#spec;
    const clients = this.#parts.output.demand?.clients;
    const blocked = this.#status === "running" && this.#session?.blocked === true;
    const lag = this.#session?.input.lag?.();
    const lost = this.#status === "running" || this.#status === "waiting" ? this.#lost.reason : undefined;
    return {
      api,
      stream,
      status: lost !== undefined ? "failed" : blocked ? "blocked" : this.#status,
      ...(lost !== undefined ? { reason: lost } : this.#status === "failed" && this.#failure),
      messages: { ...this.#counters },
      ...(clients !== undefined && { clients }),
      ...(lag !== undefined && { lag }),
    };
  }

  /** The endpoint that now serves a route; `undefined` while that part of the stream is not running. */
  endpoint(role: EndpointRole, index: number): Endpoint | undefined {
    if (role === "input") return this.#session?.input.endpoints?.[index];
    if (!this.#outputReady) return undefined;
    const { output, errorHandling } = this.#parts;
    return (role === "output" ? output : errorHandling?.output)?.endpoints?.[index];
  }

  /**
   * Stops reading, waits up to `deadline` milliseconds for what is in flight, then disconnects. What is
   * still in flight at the deadline is refused to the input, so that an at-least-once source has it again.
   */
  stop(deadline: number): Promise<void> {
    this.#stopped ??= this.#shutDown(deadline);
    return this.#stopped;
  }

  /** The one place that starts and leaves inputs, in sequence, so that no two steps can overlap. */
  async #drive(): Promise<void> {
    const deliver = await this.#startOutput();
    if (deliver === undefined) return;
    const unsubscribe = this.#demand()?.onChange(() => this.#wake());
    while (!this.#stopping.signal.aborted && !this.#isFinished) {
      if (this.#session === undefined && this.#isWanted()) await this.#startInput(deliver);
      else if (this.#session?.ended === true) await this.#finish(this.#session);
      else if (this.#session !== undefined && !this.#isWanted()) await this.#leaveAfterGrace(this.#session);
      else await this.#rest();
    }
    unsubscribe?.();
  }

  /** Demand decides over inputs that join a broker; an input with routes of its own is always there. */
  #demand(): Demand | undefined {
    const { input, output } = this.#parts;
    return (input.endpoints ?? []).length > 0 ? undefined : output.demand;
  }

  #isWanted(): boolean {
    return this.#demand()?.wanted ?? true;
  }

  async #startOutput(): Promise<Deliver | undefined> {
    for (let attempt = 0; !this.#stopping.signal.aborted; attempt += 1) {
      try {
        if (attempt > 0) {
          this.#parts = this.#createAgain();
          this.#unusedInput = this.#parts.input;
        }
        return await this.#connectOutputs();
      } catch (error) {
        await this.#closeOutputs();
        await this.#pauseAfter(error);
      }
    }
    return undefined;
  }

  /** Further parts of this stream, around the resources it has. */
  #createAgain(): StreamParts {
    return this.#spec.create(this.#parts.again);
  }

  async #connectOutputs(): Promise<Deliver> {
    await this.#resources.start(this.#context("resource", this.#outputEnd.signal));
    const { pipeline = [], threads, output, errorHandling = rejecting } = this.#parts;
    const outputs = errorHandling.output === undefined ? [output] : [output, errorHandling.output];
    const outputContext = { ...this.#context("output", this.#outputEnd.signal), source: this.#source() };
    for (const each of outputs) await each.start(outputContext);
    this.#outputReady = true;
    const context = this.#context("pipeline", this.#outputEnd.signal);
    const parts = { stream: this.#spec.stream, pipeline, threads, output, errorHandling };
    return createDelivery(parts, context, this.#counters, this.#observer);
  }

  /** What outputs may ask of the input, and run it a second time with. */
  #source(): StreamSource {
    return {
      stream: this.#spec.stream,
      undelivered: (isHanded) => this.#session?.input.positions?.undelivered(isHanded),
      createAgain: () => this.#createAgain(),
      contextOf: (component, signal) =>
        this.#context(component, AbortSignal.any([this.#stopping.signal, signal])),
    };
  }

  async #startInput(deliver: Deliver): Promise<void> {
    const session: { current?: InputSession } = {};
    try {
      const input = this.#unusedInput ?? this.#createAgain().input;
      this.#unusedInput = undefined;
      session.current = { input, controller: new AbortController(), blocked: false, ended: false };
      await input.start(this.#inputContext(session.current, deliver));
      this.#session = session.current;
      this.#backoff.reset();
    } catch (error) {
      session.current?.controller.abort();
      await this.#closePart("input", session.current?.input);
      await this.#pauseAfter(error);
    }
  }

  #inputContext(session: InputSession, deliver: Deliver): InputContext {
    const signal = AbortSignal.any([this.#stopping.signal, session.controller.signal]);
    const maxAttempts = this.#parts.errorHandling?.max_attempts;
    return {
      ...this.#context("input", signal),
      deliver,
      reportBlocked: (blocked) => {
        session.blocked = blocked;
      },
      reportEnd: () => {
        session.ended = true;
        this.#wake();
      },
      ...(maxAttempts !== undefined && { maxAttempts }),
      giveUp: (batch, failure) => this.#giveUp(batch, failure),
      countRetry: (messages) => {
        this.#counters.retried += messages;
      },
    };
  }

  /** A batch after its last attempt: nobody tries it again. */
  async #giveUp(batch: Batch, failure: GatewayError): Promise<void> {
    const { strategy, output } = this.#parts.errorHandling ?? rejecting;
    const deadLetters = strategy === "dead_letter" ? output : undefined;
    const flagged = batch.map((message) => message.withFailure(failure));
    await deadLetters?.write(flagged.flatMap((message) => toDeadLetter(message, this.#spec.stream)));
    if (deadLetters !== undefined) this.#counters.deadLettered += batch.length;
    this.#log.error("message given up after its last attempt", {
      messages: batch.length,
      deadLetter: deadLetters !== undefined,
      status: failure.status,
    });
  }

  /** Nothing comes any more; the output stays, for clients that have not yet left. */
  async #finish(session: InputSession): Promise<void> {
    await this.#closePart("input", session.input);
    session.controller.abort();
    this.#session = undefined;
    this.#isFinished = true;
    if (this.#stopping.signal.aborted) return;
    this.#status = "finished";
    this.#log.info("stream finished");
  }

  /** Nobody is there any more: leaves the broker unless somebody comes within the grace. */
  async #leaveAfterGrace(session: InputSession): Promise<void> {
    const returned = new AbortController();
    this.#wake = () => {
      if (this.#isWanted() || session.ended) returned.abort();
    };
    const signal = AbortSignal.any([this.#stopping.signal, returned.signal]);
    await pause(this.#options.demandGrace, signal);
    if (signal.aborted || this.#isWanted() || session.ended) return;
    session.controller.abort();
    const closing = this.#closePart("input", session.input);
    this.#demand()?.release?.();
    await closing;
    this.#session = undefined;
  }

  /** Waits for a change of demand or for the stop. */
  async #rest(): Promise<void> {
    const status = this.#session === undefined ? "waiting" : "running";
    if (status !== this.#status) this.#log.info(`stream ${status}`);
    this.#status = status;
    this.#settled.resolve();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const settled = this.#session?.ended !== true && this.#isWanted() === (this.#session !== undefined);
      if (this.#stopping.signal.aborted || !settled) resolve();
    });
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const wait = this.#backoff.next();
    this.#failure = { reason: reasonOf(error), nextAttempt: new Date(Date.now() + wait).toISOString() };
    this.#status = "failed";
    this.#settled.resolve();
    this.#log.warn("stream failed to start", { ...this.#failure, error });
    await pause(wait, this.#stopping.signal);
  }

  async #shutDown(deadline: number): Promise<void> {
    const before = this.#status;
    this.#status = "draining";
    this.#settled.resolve();
    this.#stopping.abort();
    const draining = this.#drain();
    if (!(await settlesWithin(draining, deadline))) {
      this.#log.warn("deadline over with messages in flight", { inFlight: this.#counters.inFlight });
    }
    this.#outputEnd.abort();
    await this.#closeOutputs();
    // With the outputs gone everything in flight is refused; the input now has what it needs to finish.
    await settlesWithin(draining, disconnectTime);
    await this.#resources.close(this.#log, disconnectTime);
    this.#status = "stopped";
    this.#session = undefined;
    this.#observer?.ended(this.#counters);
    if (before !== "stopped") this.#log.info("stream stopped");
  }

  async #drain(): Promise<void> {
    const demand = this.#parts.output.demand;
    // Nobody comes any more for what the last client leaves behind, which may happen after this.
    const release = () => {
      if (demand?.wanted === false) demand.release?.();
    };
    const unsubscribe = demand?.onChange(release);
    const closing = this.#closePart("input", this.#session?.input);
    release();
    await Promise.all([closing, this.#driven]);
    // A start that was under way when the stop came may have succeeded meanwhile.
    await this.#closePart("input", this.#session?.input);
    unsubscribe?.();
  }

  async #closeOutputs(): Promise<void> {
    this.#outputReady = false;
    const { output, errorHandling, pipeline = [] } = this.#parts;
    const closing = Promise.all([
      this.#closePart("output", output),
      this.#closePart("output", errorHandling?.output),
      ...pipeline.map((processor) => this.#closePart("pipeline", processor)),
    ]);
    await settlesWithin(closing, disconnectTime);
  }

  async #closePart(name: string, part: { close?(): Promise<void> } | undefined): Promise<void> {
    try {
      await part?.close?.();
    } catch (error) {
      this.#log.warn("disconnecting failed", { component: name, error });
    }
  }

  #context(component: string, signal: AbortSignal): ComponentContext {
    return {
      log: this.#log.with({ component }),
      signal,
      reportConnection: this.#lost.reporter(signal),
      draining: this.#stopping.signal,
      deliversFailed: this.#parts.errorHandling?.strategy === "none",
      gateway: this.#options.gateway ?? this.#options,
    };
  }
}

/** What operators are told; the texts of unknown errors stay in the log. */
function reasonOf(error: unknown): string {
  return error instanceof GatewayError || error instanceof EnvironmentError
    ? error.message
    : "Internal error";
}
