// The streams of a gateway by name.

import type { CheckedEnvironment } from "./environment.ts";
import type { InstancedStream } from "./instances/per-request.ts";
import type { RequestSource } from "./instances/request-variables.ts";
import type { InstanceLease, InstanceLimits, StreamInstances } from "./instances/stream-instances.ts";
import { Stream, type StreamOptions, type StreamSpec } from "./stream.ts";
import type { StreamParts } from "./stream-parts.ts";
import { isReady, type StreamState } from "./stream-state.ts";

/** A stream that all requests share. */
export interface FoundStream {
  readonly stream: Stream;
}

/** Starts, stops, restarts and finds the streams of a gateway. */
export interface StreamManager {
  /**
   * Runs a stream. One that runs from the same factory is left alone; one of the same name from another
   * is stopped first, so that no message is read by both.
   */
  run(spec: StreamSpec, parts?: StreamParts): Promise<void>;
  /** Stops and forgets a stream; nothing happens when there is none of that name. */
  stop(api: string, stream: string): Promise<void>;
  /** Stops a stream and starts it anew. */
  restart(api: string, stream: string): Promise<void>;
  /** Gives requests of a stream instances of their own from now on. */
  addInstances(given: InstancedSpec): void;
  /**
   * The stream that serves requests of that name, now or, where each set of values has an instance, once that runs;
   * `undefined` when there is none. Rejects with a `GatewayError` when the request cannot have an instance.
   */
  find(api: string, stream: string, source: RequestSource): FoundStream | Promise<InstanceLease> | undefined;
  /** Every stream, in the order they came. */
  states(): readonly StreamState[];
  /** Names with reasons of the streams that do not do their work; empty when the gateway is ready. */
  unready(): readonly string[];
  /** Stops all streams, each within `deadline` milliseconds. */
  close(deadline: number): Promise<void>;
}

export interface StreamManagerOptions extends StreamOptions {
  /** Milliseconds a single stream that is stopped or replaced gets for what is in flight. */
  readonly stopTimeout: number;
  readonly instances: InstanceLimits;
}

/** A stream with an instance for each set of values, and the environment its factory reads. */
export interface InstancedSpec {
  readonly api: string;
  readonly stream: string;
  readonly definition: InstancedStream;
  readonly environment: CheckedEnvironment;
}

export function createStreamManager(options: StreamManagerOptions): StreamManager {
  const streams = new Map<string, Stream>();
  const instanced = new Map<string, StreamInstances>();

  async function run(spec: StreamSpec, parts?: StreamParts): Promise<void> {
    const key = keyOf(spec.api, spec.stream);
    const present = streams.get(key);
    if (present?.spec.create === spec.create) return;
    await present?.stop(options.stopTimeout);
    streams.set(key, new Stream(spec, parts ?? spec.create(), options));
  }

  return {
    run,
    async stop(api, stream) {
      const key = keyOf(api, stream);
      await streams.get(key)?.stop(options.stopTimeout);
      streams.delete(key);
    },
    async restart(api, stream) {
      const key = keyOf(api, stream);
      const present = streams.get(key);
      if (present === undefined) return;
      await present.stop(options.stopTimeout);
      streams.set(key, new Stream(present.spec, present.spec.create(), options));
    },
    addInstances({ api, stream, definition, environment }) {
      const instances = definition.instances({
        ...options,
        api,
        stream,
        variables: definition.variables,
        create: (request, again = () => definition.create(environment, request)) =>
          environment.collect(again),
        limits: options.instances,
      });
      instanced.set(keyOf(api, stream), instances);
    },
    find(api, name, source) {
      const key = keyOf(api, name);
      const stream = streams.get(key);
      return stream === undefined ? instanced.get(key)?.acquire(source) : { stream };
    },
    states: () => [
      ...[...streams.values()].map((stream) => stream.state()),
      ...[...instanced.values()].flatMap((instances) => instances.states()),
    ],
    unready: () =>
      [...streams.values()]
        .map((stream) => stream.state())
        .filter(({ status }) => !isReady(status))
        .map(({ api, stream, status, reason }) => `${api}/${stream}: ${reason ?? status}`),
    async close(deadline) {
      await Promise.all([
        ...[...streams.values()].map((stream) => stream.stop(deadline)),
        ...[...instanced.values()].map((instances) => instances.close(deadline)),
      ]);
    },
  };
}

/** JSON, so that no two pairs of names can make one key. */
function keyOf(api: string, stream: string): string {
  return JSON.stringify([api, stream]);
}
