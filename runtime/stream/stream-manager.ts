// The streams of a gateway by name. Each has a slot, which stays the same while streams in it are started, stopped and replaced.

import type { StreamParts } from "../component/component.ts";
import { GatewayScope } from "../component/gateway-scope.ts";
import type { ApiIdentity } from "../http/call.ts";
import type { StreamRoute } from "../http/router.ts";
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
   * Runs a stream, or allows requests to create instances of it. A stream that already runs from the same factory is left alone.
   * A stream of the same name from another factory is stopped first, so that no message is read by both.
   */
  run(spec: StreamSpec | InstancedSpec, parts?: StreamParts): Promise<void>;
  /** Stops a stream. It stays known as stopped, and its routes answer 503. Does nothing if there is no stream of that name. */
  stop(api: string, stream: string): Promise<void>;
  /** Starts a stream that was stopped. Does nothing if it runs. */
  start(api: string, stream: string): void;
  /** Stops a stream and starts it again. */
  restart(api: string, stream: string): Promise<void>;
  /** Stops a stream and removes it. Its name can be reused immediately. */
  remove(api: string, stream: string): Promise<void>;
  /**
   * Returns the stream that serves the requests of a route; for a stream with instances, resolves when the instance for
   * `source` runs. `undefined` if there is none. Rejects with a `GatewayError` if the request cannot have an instance.
   */
  find(
    api: ApiIdentity,
    route: StreamRoute,
    source: RequestSource,
  ): FoundStream | Promise<InstanceLease> | undefined;
  /** Returns the slot of a stream, to replace what runs in it. */
  slot(api: string, stream: string): StreamSlot | undefined;
  /** Creates a slot in which nothing runs yet. */
  addSlot(spec: StreamSpec | InstancedSpec): StreamSlot;
  /** Returns the state of every stream, in the order of creation. */
  states(): readonly StreamState[];
  /** Returns the streams that do not do their work, with reasons; empty if the gateway is ready. */
  unready(): readonly string[];
  /** Returns the streams that an undeliverable batch blocks, with reasons. They do not make the gateway unready. */
  blocked(): readonly string[];
  /** Stops all streams, each within `deadline` milliseconds. */
  close(deadline: number): Promise<void>;
}

/** Without `gateway` in the options, the streams of one manager form a gateway of their own. */
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
      // It stays visible and awaited until it has stopped.
      leaving.add(removed);
      await removed.stop();
      leaving.delete(removed);
    },
    find: ({ id }, route, source) => slot(id, route.stream)?.find(source),
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

/** A stream with one instance per set of values, and the environment that its factory reads. */
export interface InstancedSpec {
  readonly api: string;
  readonly stream: string;
  /** As in `StreamSpec`. */
  readonly organisation?: string | undefined;
  readonly definition: InstancedStream;
  readonly environment: CheckedEnvironment;
}

export interface SlotOptions extends StreamOptions {
  /** Milliseconds that a single stream has for messages in delivery when it is stopped or replaced. */
  readonly stopTimeout: number;
  readonly instances: InstanceLimits;
}

/** What runs under one name, or will run when it is started. */
export class StreamSlot {
  readonly #options: SlotOptions;
  readonly #counters: DeliveryCounters = createCounters();
  /** Samples messages of the stream or of its instances. */
  readonly tap: Tap = { listener: undefined };
  #spec: StreamSpec | InstancedSpec;
  #stream: Stream | undefined;
  #instances: StreamInstances | undefined;

  /** Creates a slot in which nothing runs before `start`. */
  constructor(spec: StreamSpec | InstancedSpec, options: SlotOptions) {
    this.#spec = spec;
    this.#options = options;
  }

  get spec(): StreamSpec | InstancedSpec {
    return this.#spec;
  }

  /** The stream that all requests share; `undefined` while it is stopped, and for a stream with instances. */
  get stream(): Stream | undefined {
    return this.#stream;
  }

  /** The instances that requests use; `undefined` while they are stopped, and for a stream without instances. */
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

  /** Starts the stream, with `parts` as its first parts. Does nothing if it runs. */
  start(parts?: StreamParts): void {
    if (!this.isStopped) return;
    if ("definition" in this.#spec) this.#instances = this.createInstances(this.#spec);
    else {
      const options = { ...this.#options, counters: this.#counters, tap: this.tap };
      this.#stream = new Stream(this.#spec, parts ?? this.#spec.create(), options);
    }
  }

  /** Stops the stream, with `deadline` milliseconds for messages in delivery. Its counters are kept. */
  async stop(deadline = this.#options.stopTimeout): Promise<void> {
    const [stream, instances] = [this.#stream, this.#instances];
    await Promise.all([stream?.stop(deadline), instances?.close(deadline)]);
    if (this.#stream === stream) this.#stream = undefined;
    if (this.#instances === instances) this.#instances = undefined;
  }

  /** Sets what runs from the next start on. The running stream continues, but new requests use `instances` if given. */
  respecify(spec: StreamSpec | InstancedSpec, instances?: StreamInstances): void {
    this.#spec = spec;
    if (instances !== undefined) this.#instances = instances;
  }

  /** Creates the instances of a spec. None runs before a request needs it. */
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

  /** Returns what operators see: one row even if nothing runs. */
  states(): readonly StreamState[] {
    if (this.#stream !== undefined) return [this.#stream.state()];
    if (this.#instances !== undefined) return this.#instances.states();
    const { api, stream } = this.#spec;
    return [{ api, stream, status: "stopped", messages: { ...this.#counters } }];
  }
}
