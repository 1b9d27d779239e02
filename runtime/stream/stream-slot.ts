// The place of one stream in a gateway: the same while what runs there is stopped, started, and replaced.

import type { StreamParts } from "../component/stream-parts.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import { createCounters, type DeliveryCounters } from "./delivery.ts";
import type { InstancedStream } from "./instances/per-request.ts";
import type { RequestSource } from "./instances/request-variables.ts";
import type { InstanceLease, InstanceLimits, StreamInstances } from "./instances/stream-instances.ts";
import { Stream } from "./stream.ts";
import type { StreamOptions, StreamSpec } from "./stream-options.ts";
import type { StreamState } from "./stream-state.ts";
import type { Tap } from "./tap.ts";

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
  /** Where somebody may look at what the stream writes, or its instances. */
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
