// One stream from start to stop: connects its output, then its input, and retries until both are connected.

import type {
  ComponentContext,
  DeliverBatch,
  Demand,
  StreamParts,
  StreamSource,
} from "../component/component.ts";
import { type Endpoint, isSameRoute } from "../component/endpoint.ts";
import { abort } from "../concurrency/abort.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { GatewayError } from "../errors.ts";
import type { StreamRoute } from "../http/router.ts";
import { beginWork } from "../process/first-work.ts";
import type { Deliverer } from "./delivery.ts";
import { DrainingParts } from "./draining-parts.ts";
import { RunningInput } from "./running-input.ts";
import { type Kept, RunningPipeline } from "./running-pipeline.ts";
import { StartAttempts } from "./start-attempts.ts";
import type { CreateParts, StreamOptions, StreamSpec } from "./stream-options.ts";
import { contextIn, createStreamScope, type StreamScope, timeToDisconnect } from "./stream-scope.ts";
import { StatusTracker, type StreamState } from "./stream-state.ts";
import { type Release, StreamVersion } from "./stream-version.ts";

/** A time in which no input starts or ends. */
interface Hold {
  readonly atRest: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
}

/** A stream that was started. Stopping is final. Its parts can be replaced while it runs. */
export class Stream implements StreamSource {
  // In front, as each message reads them: fields that are far apart are in different lines of the caches.
  /** The first endpoint of `#input`, while it serves that. */
  #first: Endpoint | undefined;
  /** That of `#pipeline`. */
  #delivery: Deliverer | undefined;
  #input: RunningInput | undefined;
  #pipeline: RunningPipeline | undefined;
  readonly #spec: StreamSpec;
  readonly #options: StreamOptions;
  readonly #scope: StreamScope;
  readonly #stopping = new AbortController();
  readonly #driven: Promise<void>;
  readonly #settled = Promise.withResolvers<void>();
  /** Pipelines that are connecting. */
  readonly #opening: RunningPipeline[] = [];
  readonly #draining = new DrainingParts();
  readonly #status = new StatusTracker();
  readonly #attempts: StartAttempts;
  #version: StreamVersion;
  #releaseVersion: Release;
  /** The input that is starting. Its first messages may arrive before its start has completed. */
  #starting: RunningInput | undefined;
  #isFinished = false;
  /** The version whose input has created what is durable at its broker. */
  #prepared: StreamVersion | undefined;
  #generation = 0;
  #stopped: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #unsubscribe: (() => void) | undefined;
  /** Interrupts pauses. */
  #interruption = new AbortController();
  /** Present while a deployment replaces parts. */
  #hold: Hold | undefined;

  /** Begins to connect. `parts` are the first parts to use, created by `spec.create`. */
  constructor(spec: StreamSpec, parts: StreamParts, options: StreamOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#scope = createStreamScope(spec, options, {
      stopping: this.#stopping.signal,
      onProblem: (reason) => this.#status.noteError(reason),
      source: this,
    });
    this.#attempts = new StartAttempts(this.#scope.log, this.#status, createBackoff(options.backoff));
    this.#version = this.createVersion(spec.create, parts);
    this.#releaseVersion = this.#version.hold();
    this.#driven = this.#drive();
  }

  get spec(): StreamSpec {
    return this.#spec;
  }

  /** Resolves when the stream runs, waits for a client, has failed to start, or was stopped. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Aborted when it stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Returns what operators see. */
  state(): StreamState {
    return this.#status.state(this.#spec, {
      messages: this.#scope.counters,
      blockages: this.#input?.blockages,
      lost: this.#scope.outages.oldest,
      clients: this.#pipeline?.output.component.demand?.clients,
      lag: this.#input?.component.lag?.(),
      standby: this.#input?.component.standby?.(),
      retiring: this.#draining.retiring,
    });
  }

  /**
   * Returns the endpoint that currently serves a route, of this version or of an earlier one; `undefined` while that part of the
   * stream is not running.
   */
  endpoint({ role, index, endpoint: declared }: StreamRoute): Endpoint | undefined {
    if (this.#first === declared) return declared;
    const own = role === "input" ? this.#input?.endpoints : this.#pipeline?.endpointsOf(role);
    const likely = own?.[index];
    if (likely !== undefined && isSameRoute(likely, declared)) return likely;
    const others = [...(own ?? []), ...this.#draining.endpointsOf(role)];
    return others.find((each) => isSameRoute(each, declared));
  }

  /**
   * Stops reading, waits up to `deadline` milliseconds for messages in delivery, then disconnects. Messages that are still in
   * delivery at the deadline are refused to the input, so that an at-least-once source delivers them again. Parts that
   * have not disconnected by then are abandoned one second later.
   */
  stop(deadline: number): Promise<void> {
    this.#stopped ??= this.#shutDown(deadline);
    return this.#stopped;
  }

  // The rest of the interface replaces parts while the stream runs.

  /** The version that the next input and output are created from. */
  get version(): StreamVersion {
    return this.#version;
  }

  /** The pipeline that messages currently go through; `undefined` while its output is not connected. */
  get pipeline(): RunningPipeline | undefined {
    return this.#pipeline;
  }

  /** The input that currently reads; `undefined` if none does. */
  get input(): RunningInput | undefined {
    return this.#input;
  }

  /** Prevents inputs from starting or ending until `resume`. Resolves when no such step is in progress. */
  async hold(): Promise<void> {
    this.#hold ??= { atRest: Promise.withResolvers(), over: Promise.withResolvers() };
    abort(this.#interruption);
    this.#wake();
    await Promise.race([this.#hold.atRest.promise, this.#driven]);
  }

  /** Resumes, with the parts that were set in the meantime. */
  resume(): void {
    this.#interruption = new AbortController();
    this.#hold?.over.resolve();
    this.#hold = undefined;
  }

  /** Creates another version. Opens nothing. */
  createVersion(create: CreateParts, parts: StreamParts): StreamVersion {
    return new StreamVersion(create, parts, this.#scope);
  }

  /** Connects the outputs of a version. They get no messages before `usePipeline`. Gives up when `end` is aborted. */
  async openPipeline(version: StreamVersion, kept?: Kept, end?: AbortSignal): Promise<RunningPipeline> {
    const pipeline = new RunningPipeline(version, version.takeParts(), this.#scope, kept);
    this.#opening.push(pipeline);
    const giveUp = () => pipeline.end();
    end?.addEventListener("abort", giveUp, { once: true });
    try {
      await pipeline.start();
      if (end?.aborted || this.#stopping.signal.aborted) throw await ended(pipeline);
      return pipeline;
    } finally {
      end?.removeEventListener("abort", giveUp);
      this.#opening.splice(this.#opening.indexOf(pipeline), 1);
    }
  }

  /** Begins to read with an input of a version, into the pipeline in use. Gives up when `end` is aborted. */
  async openInput(
    version: StreamVersion,
    pipeline: RunningPipeline | undefined = this.#pipeline,
    end?: AbortSignal,
  ): Promise<RunningInput> {
    const input = new RunningInput(version, this.#scope);
    const { component } = input;
    if (this.#hold === undefined) this.#starting = input;
    const giveUp = () => input.leave();
    end?.addEventListener("abort", giveUp, { once: true });
    const deliver: DeliverBatch = (batch) => {
      beginWork();
      return this.#delivery?.deliver(batch, component) ?? Promise.reject(notRunning());
    };
    deliver.direct = () => {
      beginWork();
      return this.#delivery?.direct?.(component);
    };
    await input.start({
      deliver,
      giveUp: (batch, failure) => this.#pipeline?.giveUp(batch, failure) ?? Promise.reject(notRunning()),
      maxAttempts: pipeline?.errorHandling.max_attempts,
      deliversFailed: pipeline?.output.deliversFailed === true,
      onEnd: () => this.#wake(),
      onClosed: () => {
        if (this.#input === input) this.#first = undefined;
      },
    });
    end?.removeEventListener("abort", giveUp);
    if (end?.aborted) await input.close();
    return input;
  }

  /** Sends the next batch through `pipeline`, and creates further parts from `version`. */
  usePipeline(version: StreamVersion, pipeline: RunningPipeline | undefined): void {
    if (version !== this.#version) {
      const release = this.#releaseVersion;
      this.#version = version;
      this.#releaseVersion = version.hold();
      void release();
    }
    this.#pipeline = pipeline;
    this.#delivery = pipeline?.delivery;
    if (pipeline?.turns !== undefined && pipeline.threads !== undefined)
      pipeline.turns.limit = pipeline.threads;
    this.#unsubscribe?.();
    this.#unsubscribe = pipeline?.output.component.demand?.onChange(() => this.#wake());
  }

  /** Sets the input that reads from now on. Without one, an input is started when it is needed. */
  useInput(input: RunningInput | undefined): void {
    this.#generation += 1;
    this.#setInput(input);
    this.#isFinished = false;
  }

  #setInput(input: RunningInput | undefined): void {
    this.#input = input;
    this.#first = input?.endpoints[0];
  }

  /** Ends replaced parts within `deadline` milliseconds. Their routes are served until then. */
  retire(
    parts: {
      readonly pipeline?: RunningPipeline;
      readonly input?: RunningInput;
      readonly endsOutput: boolean;
    },
    deadline: number,
  ) {
    this.#draining.add(parts, deadline);
  }

  /** Whether there is demand for messages. */
  get isWanted(): boolean {
    return this.#demand()?.wanted ?? true;
  }

  // What outputs may ask of the input, and replay it with.

  get stream(): string {
    return this.#spec.stream;
  }

  get generation(): number {
    return this.#generation;
  }

  undelivered(...args: Parameters<StreamSource["undelivered"]>): ReturnType<StreamSource["undelivered"]> {
    return (this.#input ?? this.#starting)?.component.positions?.undelivered(...args);
  }

  createAgain(): StreamParts {
    return this.#version.createAgain();
  }

  contextOf(component: string, signal: AbortSignal): ComponentContext {
    return contextIn(this.#scope, component, AbortSignal.any([this.#stopping.signal, signal]), {
      deliversFailed: this.#pipeline?.output.deliversFailed === true,
    });
  }

  /** The only place that starts and ends inputs. Its steps are sequential, so that no two of them overlap. */
  async #drive(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#hold !== undefined) await this.#restHeld(this.#hold);
      else if (this.#pipeline === undefined) await this.#startPipeline();
      else if (this.#input === undefined && this.#shouldRead()) await this.#startInput();
      else if (this.#input?.hasEnded === true) await this.#finish(this.#input);
      else if (this.#input === undefined && this.#shouldPrepare()) await this.#prepareInput();
      else if (this.#input !== undefined && !this.#shouldRead()) await this.#leaveAfterGrace(this.#input);
      else await this.#rest();
    }
  }

  #shouldRead(): boolean {
    return !this.#isFinished && this.isWanted;
  }

  /** Whether to create durable subscriptions now: a broker keeps messages for a later client only if it knows the subscriber. */
  #shouldPrepare(): boolean {
    const isDurable = this.#version.declared.input.prepare !== undefined;
    return isDurable && !this.#isFinished && this.#prepared !== this.#version;
  }

  async #prepareInput(): Promise<void> {
    const version = this.#version;
    try {
      await new RunningInput(version, this.#scope).prepare();
      this.#prepared = version;
      this.#attempts.succeeded();
    } catch (error) {
      await this.#pauseAfter(error);
    }
  }

  /** Returns the demand that controls inputs which join a broker. Inputs with routes of their own are always connected. */
  #demand(): Demand | undefined {
    const { input } = this.#version.declared;
    return (input.endpoints ?? []).length > 0 ? undefined : this.#pipeline?.output.component.demand;
  }

  async #startPipeline(): Promise<void> {
    try {
      const pipeline = await this.openPipeline(this.#version);
      this.usePipeline(this.#version, pipeline);
    } catch (error) {
      await this.#pauseAfter(error);
    }
  }

  async #startInput(): Promise<void> {
    try {
      const version = this.#version;
      this.#setInput(await this.openInput(version));
      this.#prepared = version;
      this.#starting = undefined;
      this.#attempts.succeeded();
    } catch (error) {
      this.#starting = undefined;
      await this.#pauseAfter(error);
    }
  }

  /** The input has ended. The output stays for clients that have not left yet. */
  async #finish(input: RunningInput): Promise<void> {
    await input.close();
    this.#setInput(undefined);
    this.#isFinished = true;
  }

  /** The last client has left: disconnects from the broker unless another client connects within the grace period. */
  async #leaveAfterGrace(input: RunningInput): Promise<void> {
    if (!(await this.#isUnwantedForGrace(input))) return;
    input.leave();
    const closing = input.close();
    this.#demand()?.release?.();
    await closing;
    this.#setInput(undefined);
  }

  /**
   * Waits until no client has been connected for the grace period, then returns true. Returns false if a client is connected when
   * the period ends, or if the stream is stopped or held. Clients that ask for one message come and go with each message: one
   * timer keeps running meanwhile, and each change costs one look at the clock.
   */
  async #isUnwantedForGrace(input: RunningInput): Promise<boolean> {
    const { demandGrace, departing } = this.#options;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let unwantedSince = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const judge = () => {
      const left = departing?.aborted === true ? 0 : unwantedSince + demandGrace - performance.now();
      if (this.#shouldRead()) resolve(false);
      else if (left <= 0) resolve(true);
      else timer = setTimeout(judge, Math.ceil(left));
    };
    judge();
    departing?.addEventListener("abort", judge, { once: true });
    this.#wake = () => {
      if (this.#stopping.signal.aborted || this.#hold !== undefined || input.hasEnded) resolve(false);
      else if (!this.#shouldRead()) unwantedSince = performance.now();
    };
    this.#wake();
    const isUnwanted = await promise;
    clearTimeout(timer);
    departing?.removeEventListener("abort", judge);
    return isUnwanted && !this.#shouldRead() && !input.hasEnded;
  }

  /** Waits until the demand changes, or the stream is stopped or held. */
  async #rest(): Promise<void> {
    const status = this.#isFinished ? "finished" : this.#input === undefined ? "waiting" : "running";
    if (status !== this.#status.status) this.#scope.log.info(`stream ${status}`);
    this.#status.reach(status);
    this.#settled.resolve();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const isAsItShould =
        this.#input?.hasEnded !== true && this.#shouldRead() === (this.#input !== undefined);
      if (this.#stopping.signal.aborted || this.#hold !== undefined || !isAsItShould) resolve();
    });
  }

  async #restHeld(hold: Hold): Promise<void> {
    hold.atRest.resolve();
    await hold.over.promise;
  }

  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#stopping.signal.aborted || this.#hold !== undefined) return;
    const wait = this.#attempts.failed(error);
    this.#settled.resolve();
    await pause(wait, AbortSignal.any([this.#stopping.signal, this.#interruption.signal]));
  }

  async #shutDown(deadline: number): Promise<void> {
    this.#status.reach("draining");
    this.#settled.resolve();
    abort(this.#stopping);
    this.#wake();
    this.#hold?.over.resolve();
    const end = performance.now() + deadline;
    const draining = this.#drain();
    if (!(await settlesWithin(draining, deadline))) {
      const { inFlight } = this.#scope.counters;
      this.#scope.log.warn("shutdown deadline exceeded with messages in flight", { inFlight });
    }
    const pipelines = [...this.#opening, ...(this.#pipeline === undefined ? [] : [this.#pipeline])];
    const time = timeToDisconnect(end - performance.now());
    await Promise.all([
      ...pipelines.map((pipeline) => pipeline.end(true, time)),
      this.#draining.end(time),
      // Without outputs all messages in delivery are refused, so the input can finish.
      settlesWithin(draining, time),
    ]);
    await this.#releaseVersion(timeToDisconnect(end - performance.now()));
    this.#status.reach("stopped");
    this.#setInput(undefined);
    this.#scope.observer?.ended?.(this.#scope.counters);
    this.#scope.log.info("stream stopped");
  }

  async #drain(): Promise<void> {
    const demand = this.#pipeline?.output.component.demand;
    // No client takes what the last one leaves behind, which may happen later.
    const release = () => {
      if (demand?.wanted === false) demand.release?.();
    };
    const unsubscribe = demand?.onChange(release);
    const closing = this.#input?.close();
    release();
    await Promise.all([closing, this.#driven, this.#draining.over()]);
    // A start that was in progress when the stream was stopped may have succeeded.
    await this.#input?.close();
    unsubscribe?.();
    this.#unsubscribe?.();
  }
}

/** Ends a pipeline that connected too late. */
async function ended(pipeline: RunningPipeline): Promise<GatewayError> {
  await pipeline.end();
  return new GatewayError(503, "Stream is stopping");
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running");
}
