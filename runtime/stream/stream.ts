// One stream from start to stop: connects its output, then its input, again and again until it succeeds.

import type { Demand, StreamSource } from "../component/component.ts";
import type { Endpoint } from "../component/endpoint.ts";
import type { StreamParts } from "../component/stream-parts.ts";
import { type Backoff, createBackoff, pause } from "../concurrency/backoff.ts";
import { settlesWithin } from "../concurrency/deadline.ts";
import { GatewayError } from "../errors.ts";
import { networkFault, unreachableText } from "../failures/unreachable.ts";
import type { StreamRoute } from "../http/router.ts";
import { isSameRoute } from "../http/same-route.ts";
import type { Logger } from "../process/log.ts";
import { Intake } from "./intake.ts";
import { type Kept, Lane } from "./lane.ts";
import { contextIn, createBasis, partingTime, type StreamBasis } from "./stream-basis.ts";
import { type StartFailure, StreamCourse } from "./stream-course.ts";
import type { StreamOptions, StreamSpec } from "./stream-options.ts";
import { Retirement } from "./stream-retirement.ts";
import type { StreamState } from "./stream-state.ts";
import { type CreateParts, type Release, StreamVersion } from "./stream-version.ts";

/** While somebody else replaces parts. */
interface Hold {
  readonly atRest: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
}

/** A stream that was started once; stopping is final. Its parts may be replaced while it runs. */
export class Stream {
  readonly #spec: StreamSpec;
  readonly #options: StreamOptions;
  readonly #basis: StreamBasis;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  readonly #driven: Promise<void>;
  readonly #settled = Promise.withResolvers<void>();
  /** Lanes that are connecting. */
  readonly #opening = new Set<Lane>();
  readonly #retirement = new Retirement();
  readonly #course = new StreamCourse();
  #version: StreamVersion;
  #releaseVersion: Release;
  #lane: Lane | undefined;
  #intake: Intake | undefined;
  /** What it reads with as soon as that has started: its first messages come before that is told. */
  #starting: Intake | undefined;
  #isFinished = false;
  #generation = 0;
  #stopped: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #unsubscribe: (() => void) | undefined;
  /** Cuts pauses short. */
  #interruption = new AbortController();
  /** Present while somebody else replaces parts. */
  #hold: Hold | undefined;

  /** Begins to connect; `parts` are the ones to use first, made by `spec.create`. */
  constructor(spec: StreamSpec, parts: StreamParts, options: StreamOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#backoff = createBackoff(options.backoff);
    this.#basis = createBasis(spec, options, {
      stopping: this.#stopping.signal,
      onProblem: (reason) => this.#course.noteError(reason),
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
    return this.#course.state(this.#spec, {
      messages: this.#basis.counters,
      blockages: this.#intake?.blockages,
      lost: this.#basis.outages.oldest,
      clients: this.#lane?.outlet.output.demand?.clients,
      lag: this.#intake?.input.lag?.(),
      retiring: this.#retirement.retiring,
    });
  }

  /**
   * The endpoint that now serves a route, of this version or of an earlier one; `undefined` while that part of the stream
   * is not running.
   */
  endpoint({ role, index, endpoint: declared }: StreamRoute): Endpoint | undefined {
    const own = role === "input" ? this.#intake?.endpoints : this.#lane?.endpointsOf(role);
    const likely = own?.[index];
    if (likely !== undefined && isSameRoute(likely, declared)) return likely;
    const others = [...(own ?? []), ...this.#retirement.endpointsOf(role)];
    return others.find((each) => isSameRoute(each, declared));
  }

  /**
   * Stops reading, waits up to `deadline` milliseconds for what is in flight, then disconnects. What is
   * still in flight at the deadline is refused to the input, so that an at-least-once source has it again; whoever
   * cannot disconnect by then is left behind a second later.
   */
  stop(deadline: number): Promise<void> {
    this.#stopped ??= this.#shutDown(deadline);
    return this.#stopped;
  }

  // What follows is for whoever replaces parts of it while it runs.

  /** What its next input and output are made of. */
  get version(): StreamVersion {
    return this.#version;
  }

  /** Where messages go now; `undefined` while its output is not connected. */
  get lane(): Lane | undefined {
    return this.#lane;
  }

  /** What reads now; `undefined` while nothing does. */
  get intake(): Intake | undefined {
    return this.#intake;
  }

  /** Nothing starts or ends by itself until `resume`. Resolves when nothing is under way. */
  async hold(): Promise<void> {
    this.#hold ??= { atRest: Promise.withResolvers(), over: Promise.withResolvers() };
    this.#interruption.abort();
    this.#wake();
    await Promise.race([this.#hold.atRest.promise, this.#driven]);
  }

  /** Goes on by itself, with what it was given meanwhile. */
  resume(): void {
    this.#interruption = new AbortController();
    this.#hold?.over.resolve();
    this.#hold = undefined;
  }

  /** Another version; opens nothing. */
  createVersion(create: CreateParts, parts: StreamParts): StreamVersion {
    return new StreamVersion(create, parts, this.#basis);
  }

  /** Connects the outputs of a version; nobody gets messages by them before `useLane`. Gives up when `end` is aborted. */
  async openLane(version: StreamVersion, kept?: Kept, end?: AbortSignal): Promise<Lane> {
    const lane = new Lane(version, version.takeParts(), this.#basis, kept);
    this.#opening.add(lane);
    const giveUp = () => lane.end();
    end?.addEventListener("abort", giveUp, { once: true });
    try {
      await lane.start();
      if (end?.aborted || this.#stopping.signal.aborted) throw await ended(lane);
      return lane;
    } finally {
      end?.removeEventListener("abort", giveUp);
      this.#opening.delete(lane);
    }
  }

  /** Begins to read with an input of a version, into whatever lane is used; gives up when `end` is aborted. */
  async openIntake(
    version: StreamVersion,
    lane: Lane | undefined = this.#lane,
    end?: AbortSignal,
  ): Promise<Intake> {
    const intake = new Intake(version, this.#basis);
    if (this.#hold === undefined) this.#starting = intake;
    const giveUp = () => intake.leave();
    end?.addEventListener("abort", giveUp, { once: true });
    await intake.start({
      deliver: (batch) => this.#lane?.deliver(batch) ?? Promise.reject(notRunning()),
      giveUp: (batch, failure) => this.#lane?.giveUp(batch, failure) ?? Promise.reject(notRunning()),
      maxAttempts: lane?.errorHandling.max_attempts,
      deliversFailed: lane?.outlet.deliversFailed === true,
      onEnd: () => this.#wake(),
    });
    end?.removeEventListener("abort", giveUp);
    if (end?.aborted) await intake.close();
    return intake;
  }

  /** The next batch goes through `lane`; further parts are made of `version`. */
  useLane(version: StreamVersion, lane: Lane | undefined): void {
    if (version !== this.#version) {
      const release = this.#releaseVersion;
      this.#version = version;
      this.#releaseVersion = version.hold();
      void release();
    }
    this.#lane = lane;
    if (lane?.turns !== undefined && lane.threads !== undefined) lane.turns.limit = lane.threads;
    this.#unsubscribe?.();
    this.#unsubscribe = lane?.outlet.output.demand?.onChange(() => this.#wake());
  }

  /** What reads from now on; with nothing, an input starts by itself once it is wanted. */
  useIntake(intake: Intake | undefined): void {
    this.#generation += 1;
    this.#intake = intake;
    this.#isFinished = false;
  }

  /** Ends parts that are not used any more, within `deadline` milliseconds; until then their routes are served. */
  retire(
    parts: { readonly lane?: Lane; readonly intake?: Intake; readonly endsOutlet: boolean },
    deadline: number,
  ) {
    this.#retirement.add(parts, deadline);
  }

  /** Whether there is somebody to read for. */
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
      undelivered: (isHanded) => (this.#intake ?? this.#starting)?.input.positions?.undelivered(isHanded),
      createAgain: () => this.#version.createAgain(),
      contextOf: (component, signal) =>
        contextIn(this.#basis, component, AbortSignal.any([this.#stopping.signal, signal]), {
          deliversFailed: this.#lane?.outlet.deliversFailed === true,
        }),
    };
  }

  /** The one place that starts and leaves inputs, in sequence, so that no two steps can overlap. */
  async #drive(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#hold !== undefined) await this.#restHeld(this.#hold);
      else if (this.#lane === undefined) await this.#startLane();
      else if (this.#intake === undefined && this.#shouldRead()) await this.#startIntake();
      else if (this.#intake?.hasEnded === true) await this.#finish(this.#intake);
      else if (this.#intake !== undefined && !this.#shouldRead()) await this.#leaveAfterGrace(this.#intake);
      else await this.#rest();
    }
  }

  #shouldRead(): boolean {
    return !this.#isFinished && this.isWanted;
  }

  /** Demand decides over inputs that join a broker; an input with routes of its own is always there. */
  #demand(): Demand | undefined {
    const { input } = this.#version.declared;
    return (input.endpoints ?? []).length > 0 ? undefined : this.#lane?.outlet.output.demand;
  }

  async #startLane(): Promise<void> {
    try {
      const lane = await this.openLane(this.#version);
      this.useLane(this.#version, lane);
    } catch (error) {
      await this.#pauseAfter(error);
    }
  }

  async #startIntake(): Promise<void> {
    try {
      this.#intake = await this.openIntake(this.#version);
      this.#starting = undefined;
      this.#backoff.reset();
    } catch (error) {
      this.#starting = undefined;
      await this.#pauseAfter(error);
    }
  }

  /** Nothing comes any more; the output stays, for clients that have not yet left. */
  async #finish(intake: Intake): Promise<void> {
    await intake.close();
    this.#intake = undefined;
    this.#isFinished = true;
  }

  /** Nobody is there any more: leaves the broker unless somebody comes within the grace. */
  async #leaveAfterGrace(intake: Intake): Promise<void> {
    const returned = new AbortController();
    this.#wake = () => {
      if (this.#shouldRead() || intake.hasEnded) returned.abort();
    };
    const signal = AbortSignal.any([this.#stopping.signal, this.#interruption.signal, returned.signal]);
    await pause(this.#options.demandGrace, signal);
    if (signal.aborted || this.#shouldRead() || intake.hasEnded) return;
    intake.leave();
    const closing = intake.close();
    this.#demand()?.release?.();
    await closing;
    this.#intake = undefined;
  }

  /** Waits for a change of demand, for the stop, or to be held. */
  async #rest(): Promise<void> {
    const status = this.#isFinished ? "finished" : this.#intake === undefined ? "waiting" : "running";
    if (status !== this.#course.status) this.#basis.log.info(`stream ${status}`);
    this.#course.reach(status);
    this.#settled.resolve();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const isAsItShould =
        this.#intake?.hasEnded !== true && this.#shouldRead() === (this.#intake !== undefined);
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
    const failure = this.#course.fail(error, wait);
    this.#settled.resolve();
    logFailedStart(this.#basis.log, error, { ...failure, retry: this.#course.failedStarts, wait });
    await pause(wait, AbortSignal.any([this.#stopping.signal, this.#interruption.signal]));
  }

  async #shutDown(deadline: number): Promise<void> {
    this.#course.reach("draining");
    this.#settled.resolve();
    this.#stopping.abort();
    this.#wake();
    this.#hold?.over.resolve();
    const end = Date.now() + deadline;
    const draining = this.#drain();
    if (!(await settlesWithin(draining, deadline))) {
      const { inFlight } = this.#basis.counters;
      this.#basis.log.warn("deadline over with messages in flight", { inFlight });
    }
    const lanes = [...this.#opening, ...(this.#lane === undefined ? [] : [this.#lane])];
    const time = partingTime(end - Date.now());
    await Promise.all([
      ...lanes.map((lane) => lane.end(true, time)),
      this.#retirement.end(time),
      // With the outputs gone everything in flight is refused; the input now has what it needs to finish.
      settlesWithin(draining, time),
    ]);
    await this.#releaseVersion(partingTime(end - Date.now()));
    this.#course.reach("stopped");
    this.#intake = undefined;
    this.#basis.observer?.ended(this.#basis.counters);
    this.#basis.log.info("stream stopped");
  }

  async #drain(): Promise<void> {
    const demand = this.#lane?.outlet.output.demand;
    // Nobody comes any more for what the last client leaves behind, which may happen after this.
    const release = () => {
      if (demand?.wanted === false) demand.release?.();
    };
    const unsubscribe = demand?.onChange(release);
    const closing = this.#intake?.close();
    release();
    await Promise.all([closing, this.#driven, this.#retirement.over()]);
    // A start that was under way when the stop came may have succeeded meanwhile.
    await this.#intake?.close();
    unsubscribe?.();
    this.#unsubscribe?.();
  }
}

/** A lane that came up too late. */
async function ended(lane: Lane): Promise<GatewayError> {
  await lane.end();
  return new GatewayError(503, "Stream is stopping");
}

/** One line for each attempt; what the network says needs no stack. */
function logFailedStart(
  log: Logger,
  error: unknown,
  { wait, ...fields }: StartFailure & { readonly retry: number; readonly wait: number },
): void {
  const fault = networkFault(error);
  const isNamed = fault === undefined || fields.reason.includes(fault.words);
  const reason = isNamed ? fields.reason : `${fields.reason}: ${unreachableText("server", fault)}`;
  const next = `retry ${fields.retry} in ${Math.max(1, Math.round(wait / 1000))} s`;
  log.warn(`stream failed to start: ${reason}, ${next}`, {
    ...fields,
    ...(fault === undefined && { error }),
  });
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running");
}
