// The streams of a gateway by name, and the place of each: the same while what runs there is stopped, started, and replaced.

import type { StreamParts } from "../component/component.ts";
import { GatewayScope } from "../component/gateway-scope.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import type { RequestSource } from "./instances/request-variables.ts";
import type {
  InstancedStream,
  InstanceLease,
  InstanceLimits,
  StreamInstances,
} from "./instances/stream-instances.ts";
import type { Tap } from "./observer.ts";
import { Stream } from "./stream.ts";
import type { StreamOptions, StreamSpec } from "./stream-options.ts";
import { createCounters, type DeliveryCounters, isReady, type StreamState } from "./stream-state.ts";

/** Starts, stops, restarts and finds the streams of a gateway. */
export interface StreamManager {
  /**
   * Runs a stream, or lets requests have instances of it. One that runs from the same factory is left alone; one of the same name from another
   * is stopped first, so that no message is read by both.
   */
  run(spec: StreamSpec | InstancedSpec, parts?: StreamParts): Promise<void>;
  /** Stops a stream, which stays known as stopped; its routes answer 503. Nothing happens when there is none of that name. */
  stop(api: string, stream: string): Promise<void>;
  /** Runs a stream that was stopped; one that runs is left alone. */
  start(api: string, stream: string): void;
  /** Stops a stream and starts it anew. */
  restart(api: string, stream: string): Promise<void>;
  /** Stops and forgets a stream; another may take its name at once. */
  remove(api: string, stream: string): Promise<void>;
  /**
   * The stream that serves requests of that name, now or, where each set of values has an instance, once that runs;
   * `undefined` when there is none. Rejects with a `GatewayError` when the request cannot have an instance.
   */
  find(api: string, stream: string, source: RequestSource): FoundStream | Promise<InstanceLease> | undefined;
  /** The place of a stream, to replace what runs there. */
  slot(api: string, stream: string): StreamSlot | undefined;
  /** Makes a place for a stream, where nothing runs yet. */
  addSlot(spec: StreamSpec | InstancedSpec): StreamSlot;
  /** Every stream, in the order they came. */
  states(): readonly StreamState[];
  /** Names with reasons of the streams that do not do their work; empty when the gateway is ready. */
  unready(): readonly string[];
  /** Names with reasons of the streams that are held up by a batch, which keeps the gateway from nothing else. */
  blocked(): readonly string[];
  /** Stops all streams, each within `deadline` milliseconds. */
  close(deadline: number): Promise<void>;
}

/** Without a `gateway` of the options, the streams of one manager are a gateway of their own. */
export function createStreamManager(given: SlotOptions): StreamManager {
  const options = { gateway: new GatewayScope(), ...given };
  /** By API, then by stream. */
  const slots = new Map<string, Map<string, StreamSlot>>();
  const leaving = new Set<StreamSlot>();
  const all = () => [...[...slots.values()].flatMap((streams) => [...streams.values()]), ...leaving];
  const slot = (api: string, stream: string) => slots.get(api)?.get(stream);
  let isClosed = false;

  function addSlot(spec: StreamSpec | InstancedSpec): StreamSlot {
    const streams = slots.get(spec.api) ?? new Map<string, StreamSlot>();
    slots.set(spec.api, streams);
    const added = new StreamSlot(spec, options);
    streams.set(spec.stream, added);
    return added;
  }

  return {
    async run(spec, parts) {
      const present = slot(spec.api, spec.stream);
      const running = present?.stream?.spec;
      if (isClosed || (running !== undefined && "create" in spec && running.create === spec.create)) return;
      await present?.stop();
      present?.respecify(spec);
      (present ?? addSlot(spec)).start(parts);
    },
    stop: async (api, stream) => slot(api, stream)?.stop(),
    start(api, stream) {
      if (!isClosed) slot(api, stream)?.start();
    },
    async restart(api, stream) {
      const present = slot(api, stream);
      await present?.stop();
      if (!isClosed) present?.start();
    },
    async remove(api, stream) {
      const removed = slot(api, stream);
      if (removed === undefined) return;
      const streams = slots.get(api);
      streams?.delete(stream);
      if (streams?.size === 0) slots.delete(api);
      // Until it has stopped it is shown, and waited for.
      leaving.add(removed);
      await removed.stop();
      leaving.delete(removed);
    },
    find: (api, stream, source) => slots.get(api)?.get(stream)?.find(source),
    slot,
    addSlot,
    states: () => all().flatMap((each) => each.states()),
    unready: () =>
      all()
        .flatMap((each) => (leaving.has(each) ? [] : (each.stream?.state() ?? [])))
        .filter(({ status }) => !isReady(status))
        .map(({ api, stream, status, reason }) => `${api}/${stream}: ${reason ?? status}`),
    blocked: () =>
      all()
        .flatMap((each) => each.states())
        .flatMap(({ api, stream, reason, blocked }) =>
          blocked === undefined
            ? []
            : `${api}/${stream}: blocked since ${blocked.since} after ${blocked.attempts} attempts: ${reason}`,
        ),
    async close(deadline) {
      isClosed = true;
      await Promise.all(all().map((each) => each.stop(deadline)));
    },
  };
}

/** A stream that all requests share. */
export interface FoundStream {
  readonly stream: Stream;
}

/** A stream with an instance for each set of values, and the environment its factory reads. */
export interface InstancedSpec {
  readonly api: string;
  readonly stream: string;
  /** As that of a `StreamSpec`. */
  readonly organisation?: string | undefined;
  readonly definition: InstancedStream;
  readonly environment: CheckedEnvironment;
}

export interface SlotOptions extends StreamOptions {
  /** Milliseconds a single stream that is stopped or replaced gets for what is in flight. */
  readonly stopTimeout: number;
  readonly instances: InstanceLimits;
}

/** What runs under one name, now or when it is started. */
export class StreamSlot {
  readonly #options: SlotOptions;
  readonly #counters: DeliveryCounters = createCounters();
  /** Lets messages of the stream, or of its instances, be sampled. */
  readonly tap: Tap = { listener: undefined };
  #spec: StreamSpec | InstancedSpec;
  #stream: Stream | undefined;
  #instances: StreamInstances | undefined;

  /** Nothing runs before `start`. */
  constructor(spec: StreamSpec | InstancedSpec, options: SlotOptions) {
    this.#spec = spec;
    this.#options = options;
  }

  get spec(): StreamSpec | InstancedSpec {
    return this.#spec;
  }

  /** What all requests share; `undefined` while it is stopped, and where requests have instances. */
  get stream(): Stream | undefined {
    return this.#stream;
  }

  /** The instances that requests get; `undefined` while it is stopped, and where there are none. */
  get instances(): StreamInstances | undefined {
    return this.#instances;
  }

  get isStopped(): boolean {
    return this.#stream === undefined && this.#instances === undefined;
  }

  /** As `StreamManager.find`. */
  find(source: RequestSource): FoundStream | Promise<InstanceLease> | undefined {
    const stream = this.#stream;
    return stream === undefined ? this.#instances?.acquire(source) : { stream };
  }

  /** Runs it; `parts` are the first ones to use. Nothing happens where it runs already. */
  start(parts?: StreamParts): void {
    if (!this.isStopped) return;
    if ("definition" in this.#spec) this.#instances = this.createInstances(this.#spec);
    else {
      const options = { ...this.#options, counters: this.#counters, tap: this.tap };
      this.#stream = new Stream(this.#spec, parts ?? this.#spec.create(), options);
    }
  }

  /** Stops it, with `deadline` milliseconds for what is in flight; its counters stay. */
  async stop(deadline = this.#options.stopTimeout): Promise<void> {
    const [stream, instances] = [this.#stream, this.#instances];
    await Promise.all([stream?.stop(deadline), instances?.close(deadline)]);
    if (this.#stream === stream) this.#stream = undefined;
    if (this.#instances === instances) this.#instances = undefined;
  }

  /** What is run from the next start on; what runs goes on, unless it is given in `instances` to those who come. */
  respecify(spec: StreamSpec | InstancedSpec, instances?: StreamInstances): void {
    this.#spec = spec;
    if (instances !== undefined) this.#instances = instances;
  }

  /** Instances of a spec; none runs before a request asks for it. */
  createInstances(spec: InstancedSpec, former?: StreamInstances) {
    const { api, stream, organisation, definition, environment } = spec;
    return definition.instances({
      ...this.#options,
      organisation,
      tap: this.tap,
      api,
      stream,
      variables: definition.variables,
      create: (request, again = () => definition.create(environment, request)) => environment.collect(again),
      limits: this.#options.instances,
      ...(former !== undefined && { former }),
    });
  }

  /** What operators see; one row where nothing runs. */
  states(): readonly StreamState[] {
    if (this.#stream !== undefined) return [this.#stream.state()];
    if (this.#instances !== undefined) return this.#instances.states();
    const { api, stream } = this.#spec;
    return [{ api, stream, status: "stopped", messages: { ...this.#counters } }];
  }
}
