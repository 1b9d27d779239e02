// The streams of a gateway by name.

import type { Endpoint } from "./component.ts";
import type { StreamParts } from "./gateway.ts";
import { type EndpointRole, Stream, type StreamOptions, type StreamSpec } from "./stream.ts";
import { isReady, type StreamState } from "./stream-state.ts";

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
  /** The endpoint that serves a route now; `undefined` while the stream does not run. */
  endpoint(api: string, stream: string, role: EndpointRole, index: number): Endpoint | undefined;
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
}

export function createStreamManager(options: StreamManagerOptions): StreamManager {
  const streams = new Map<string, Stream>();

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
    endpoint: (api, stream, role, index) => streams.get(keyOf(api, stream))?.endpoint(role, index),
    states: () => [...streams.values()].map((stream) => stream.state()),
    unready: () =>
      [...streams.values()]
        .map((stream) => stream.state())
        .filter(({ status }) => !isReady(status))
        .map(({ api, stream, status, reason }) => `${api}/${stream}: ${reason ?? status}`),
    async close(deadline) {
      await Promise.all([...streams.values()].map((stream) => stream.stop(deadline)));
    },
  };
}

/** JSON, so that no two pairs of names can make one key. */
function keyOf(api: string, stream: string): string {
  return JSON.stringify([api, stream]);
}
