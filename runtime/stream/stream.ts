// One stream from start to stop: connects its output, then its input, again and again until it succeeds.

import type { Demand, StreamParts, StreamSource } from "../component/component.ts";
import { type Endpoint, isSameRoute } from "../component/endpoint.ts";
import { attemptLevel, type Backoff, createBackoff, pause } from "../concurrency/backoff.ts";
import { settlesWithin } from "../concurrency/promises.ts";
import { GatewayError } from "../errors.ts";
import { networkFault } from "../failures/unreachable.ts";
import type { StreamRoute } from "../http/router.ts";
import type { Logger } from "../process/log.ts";
import { DrainingParts } from "./draining-parts.ts";
import { RunningInput } from "./running-input.ts";
import { type Kept, RunningPipeline } from "./running-pipeline.ts";
import type { CreateParts, StreamOptions, StreamSpec } from "./stream-options.ts";
import { contextIn, createStreamScope, partingTime, type StreamScope } from "./stream-scope.ts";
import { type StartFailure, StatusTracker, type StreamState } from "./stream-state.ts";
import { type Release, StreamVersion } from "./stream-version.ts";

/** While a deployment replaces parts. */
interface Hold {
  readonly atRest: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
}

/** A stream that was started once; stopping is final. Its parts may be replaced while it runs. */
export class Stream {
  readonly #spec: StreamSpec;
  readonly #options: StreamOptions;
  readonly #scope: StreamScope;
  readonly #backoff: Backoff;
  /** What the last attempt to start failed with. */
  #startError: string | undefined;
  readonly #stopping = new AbortController();
  readonly #driven: Promise<void>;
  readonly #settled = Promise.withResolvers<void>();
  /** Pipelines that are connecting. */
  readonly #opening = new Set<RunningPipeline>();
  readonly #draining = new DrainingParts();
  readonly #status = new StatusTracker();
  #version: StreamVersion;
  #releaseVersion: Release;
  #pipeline: RunningPipeline | undefined;
  #input: RunningInput | undefined;
  /** What it reads with as soon as that has started: its first messages come before the start is reported. */
  #starting: RunningInput | undefined;
  #isFinished = false;
  /** The version whose input has created what is durable at its broker. */
  #prepared: StreamVersion | undefined;
  #generation = 0;
  #stopped: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #unsubscribe: (() => void) | undefined;
  /** Cuts pauses short. */
  #interruption = new AbortController();
  /** Present while a deployment replaces parts. */
  #hold: Hold | undefined;

  /** Begins to connect; `parts` are the ones to use first, made by `spec.create`. */
  constructor(spec: StreamSpec, parts: StreamParts, options: StreamOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#backoff = createBackoff(options.backoff);
    this.#scope = createStreamScope(spec, options, {
      stopping: this.#stopping.signal,
      onProblem: (reason) => this.#status.noteError(reason),
      source: this.#createSource(spec.stream),
    });
    this.#version = this.createVersion(spec.create, parts);
    this.#releaseVersion = this.#version.hold();
    this.#driven = this.#drive();
  }

  get spec(): StreamSpec {
    return this.#spec;
  }

  /** Resolves once it runs, waits for a client, has failed to start or was stopped. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Aborted when it stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** What operators see now. */
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
   * The endpoint that now serves a route, of this version or of an earlier one; `undefined` while that part of the stream
   * is not running.
   */
  endpoint({ role, index, endpoint: declared }: StreamRoute): Endpoint | undefined {
    const own = role === "input" ? this.#input?.endpoints : this.#pipeline?.endpointsOf(role);
    const likely = own?.[index];
    if (likely !== undefined && isSameRoute(likely, declared)) return likely;
    const others = [...(own ?? []), ...this.#draining.endpointsOf(role)];
    return others.find((each) => isSameRoute(each, declared));
  }

  /**
   * Stops reading, waits up to `deadline` milliseconds for what is in flight, then disconnects. What is
   * still in flight at the deadline is refused to the input, so that an at-least-once source has it again; parts
   * that cannot disconnect by then are abandoned a second later.
   */
  stop(deadline: number): Promise<void> {
    this.#stopped ??= this.#shutDown(deadline);
    return this.#stopped;
  }

  // What follows serves to replace parts of it while it runs.

  /** What its next input and output are made of. */
  get version(): StreamVersion {
    return this.#version;
  }

  /** Where messages go now; `undefined` while its output is not connected. */
  get pipeline(): RunningPipeline | undefined {
    return this.#pipeline;
  }

  /** What reads now; `undefined` while nothing does. */
  get input(): RunningInput | undefined {
    return this.#input;
  }

  /** No input starts or ends until `resume`. Resolves when nothing is under way. */
  async hold(): Promise<void> {
    this.#hold ??= { atRest: Promise.withResolvers(), over: Promise.withResolvers() };
    this.#interruption.abort();
    this.#wake();
    await Promise.race([this.#hold.atRest.promise, this.#driven]);
  }

  /** Resumes, with the parts that it was given meanwhile. */
  resume(): void {
    this.#interruption = new AbortController();
    this.#hold?.over.resolve();
    this.#hold = undefined;
  }

  /** Another version; opens nothing. */
  createVersion(create: CreateParts, parts: StreamParts): StreamVersion {
    return new StreamVersion(create, parts, this.#scope);
  }

  /** Connects the outputs of a version; they get no messages before `usePipeline`. Gives up when `end` is aborted. */
  async openPipeline(version: StreamVersion, kept?: Kept, end?: AbortSignal): Promise<RunningPipeline> {
    const pipeline = new RunningPipeline(version, version.takeParts(), this.#scope, kept);
    this.#opening.add(pipeline);
    const giveUp = () => pipeline.end();
    end?.addEventListener("abort", giveUp, { once: true });
    try {
      await pipeline.start();
      if (end?.aborted || this.#stopping.signal.aborted) throw await ended(pipeline);
      return pipeline;
    } finally {
      end?.removeEventListener("abort", giveUp);
      this.#opening.delete(pipeline);
    }
  }

  /** Begins to read with an input of a version, into whatever pipeline is used; gives up when `end` is aborted. */
  async openInput(
    version: StreamVersion,
    pipeline: RunningPipeline | undefined = this.#pipeline,
    end?: AbortSignal,
  ): Promise<RunningInput> {
    const input = new RunningInput(version, this.#scope);
    if (this.#hold === undefined) this.#starting = input;
    const giveUp = () => input.leave();
    end?.addEventListener("abort", giveUp, { once: true });
    await input.start({
      deliver: (batch) => this.#pipeline?.deliver(batch, input.component) ?? Promise.reject(notRunning()),
      giveUp: (batch, failure) => this.#pipeline?.giveUp(batch, failure) ?? Promise.reject(notRunning()),
      maxAttempts: pipeline?.errorHandling.max_attempts,
      deliversFailed: pipeline?.output.deliversFailed === true,
      onEnd: () => this.#wake(),
    });
    end?.removeEventListener("abort", giveUp);
    if (end?.aborted) await input.close();
    return input;
  }

  /** The next batch goes through `pipeline`; further parts are made of `version`. */
  usePipeline(version: StreamVersion, pipeline: RunningPipeline | undefined): void {
    if (version !== this.#version) {
      const release = this.#releaseVersion;
      this.#version = version;
      this.#releaseVersion = version.hold();
      void release();
    }
    this.#pipeline = pipeline;
    if (pipeline?.turns !== undefined && pipeline.threads !== undefined)
      pipeline.turns.limit = pipeline.threads;
    this.#unsubscribe?.();
    this.#unsubscribe = pipeline?.output.component.demand?.onChange(() => this.#wake());
  }

  /** The input that reads from now on; without one, an input is started when it is needed. */
  useInput(input: RunningInput | undefined): void {
    this.#generation += 1;
    this.#input = input;
    this.#isFinished = false;
  }

  /** Ends parts that are not used any more, within `deadline` milliseconds; until then their routes are served. */
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

  /** Whether there is demand to read for. */
  get isWanted(): boolean {
    return this.#demand()?.wanted ?? true;
  }

  /** What outputs may ask of the input, and run it a second time with. */
  #createSource(stream: string): StreamSource {
    const generation = () => this.#generation;
    return {
      stream,
      get generation() {
        return generation();
      },
      undelivered: (isHanded) => (this.#input ?? this.#starting)?.component.positions?.undelivered(isHanded),
      createAgain: () => this.#version.createAgain(),
      contextOf: (component, signal) =>
        contextIn(this.#scope, component, AbortSignal.any([this.#stopping.signal, signal]), {
          deliversFailed: this.#pipeline?.output.deliversFailed === true,
        }),
    };
  }

  /** The one place that starts and leaves inputs, in sequence, so that no two steps can overlap. */
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

  /** Messages published before the first client comes are kept only where the broker knows who they are for. */
  #shouldPrepare(): boolean {
    const isDurable = this.#version.declared.input.prepare !== undefined;
    return isDurable && !this.#isFinished && this.#prepared !== this.#version;
  }

  async #prepareInput(): Promise<void> {
    const version = this.#version;
    try {
      await new RunningInput(version, this.#scope).prepare();
      this.#prepared = version;
      this.#backoff.reset();
    } catch (error) {
      await this.#pauseAfter(error);
    }
  }

  /** Demand decides over inputs that join a broker; an input with routes of its own is always there. */
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
      this.#input = await this.openInput(version);
      this.#prepared = version;
      this.#starting = undefined;
      this.#backoff.reset();
    } catch (error) {
      this.#starting = undefined;
      await this.#pauseAfter(error);
    }
  }

  /** Nothing comes any more; the output stays, for clients that have not yet left. */
  async #finish(input: RunningInput): Promise<void> {
    await input.close();
    this.#input = undefined;
    this.#isFinished = true;
  }

  /** The last client has left: disconnects from the broker unless another one comes within the grace. */
  async #leaveAfterGrace(input: RunningInput): Promise<void> {
    if (!(await this.#isUnwantedForGrace(input))) return;
    input.leave();
    const closing = input.close();
    this.#demand()?.release?.();
    await closing;
    this.#input = undefined;
  }

  /**
   * Waits until no client has been there for as long as the grace, and gives `true`; gives `false` where the grace ends with a
   * client there, or once the stream is stopped or held. Clients that ask for one message come and go with each: meanwhile
   * one timer runs on, and each change costs a look at the clock.
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

  /** Waits for a change of demand, for the stop, or to be held. */
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
    const wait = this.#backoff.next();
    const failure = this.#status.fail(error, wait);
    this.#settled.resolve();
    const text = textWithCause(error);
    const isRepeated = text === this.#startError;
    this.#startError = text;
    const attempt = { ...failure, retry: this.#status.failedStarts, wait, isRepeated };
    logFailedStart(this.#scope.log, error, attempt);
    await pause(wait, AbortSignal.any([this.#stopping.signal, this.#interruption.signal]));
  }

  async #shutDown(deadline: number): Promise<void> {
    this.#status.reach("draining");
    this.#settled.resolve();
    this.#stopping.abort();
    this.#wake();
    this.#hold?.over.resolve();
    const end = performance.now() + deadline;
    const draining = this.#drain();
    if (!(await settlesWithin(draining, deadline))) {
      const { inFlight } = this.#scope.counters;
      this.#scope.log.warn("shutdown deadline exceeded with messages in flight", { inFlight });
    }
    const pipelines = [...this.#opening, ...(this.#pipeline === undefined ? [] : [this.#pipeline])];
    const time = partingTime(end - performance.now());
    await Promise.all([
      ...pipelines.map((pipeline) => pipeline.end(true, time)),
      this.#draining.end(time),
      // With the outputs gone everything in flight is refused; the input now has what it needs to finish.
      settlesWithin(draining, time),
    ]);
    await this.#releaseVersion(partingTime(end - performance.now()));
    this.#status.reach("stopped");
    this.#input = undefined;
    this.#scope.observer?.ended(this.#scope.counters);
    this.#scope.log.info("stream stopped");
  }

  async #drain(): Promise<void> {
    const demand = this.#pipeline?.output.component.demand;
    // No client takes what the last one leaves behind, which may happen after this.
    const release = () => {
      if (demand?.wanted === false) demand.release?.();
    };
    const unsubscribe = demand?.onChange(release);
    const closing = this.#input?.close();
    release();
    await Promise.all([closing, this.#driven, this.#draining.over()]);
    // A start that was under way when the stop came may have succeeded meanwhile.
    await this.#input?.close();
    unsubscribe?.();
    this.#unsubscribe?.();
  }
}

/** An attempt to start that failed, as it is logged. */
interface FailedAttempt extends StartFailure {
  /** Attempts that failed so far. */
  readonly retry: number;
  /** Milliseconds until the next one. */
  readonly wait: number;
  /** Whether the attempt before failed for the same reason. */
  readonly isRepeated: boolean;
}

/** A pipeline that came up too late. */
async function ended(pipeline: RunningPipeline): Promise<GatewayError> {
  await pipeline.end();
  return new GatewayError(503, "Stream is stopping");
}

/** What tells an error from another one, as far as operators are concerned. */
function textWithCause(error: unknown): string {
  return error instanceof Error ? `${error.message} ${error.cause}` : String(error);
}

/** One line for a reason, and what it fails for again is counted. What the network says needs no stack, and what failed before had one.
 */
function logFailedStart(log: Logger, error: unknown, { wait, isRepeated, ...fields }: FailedAttempt): void {
  const fault = networkFault(error);
  const next = `retry ${fields.retry} in ${Math.max(1, Math.round(wait / 1000))} s`;
  log[attemptLevel(fields.retry, isRepeated)](`stream failed to start: ${fields.reason}, ${next}`, {
    ...fields,
    ...(fault === undefined && !isRepeated && { error }),
  });
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running");
}
