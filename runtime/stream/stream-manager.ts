// The streams of a gateway by name.

import type { StreamParts } from "../component/stream-parts.ts";
import type { RequestSource } from "./instances/request-variables.ts";
import type { InstanceLease } from "./instances/stream-instances.ts";
import type { StreamSpec } from "./stream-options.ts";
import { type FoundStream, type InstancedSpec, type SlotOptions, StreamSlot } from "./stream-slot.ts";
import { isReady, type StreamState } from "./stream-state.ts";

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
  /** The place of a stream, for whoever replaces what runs there. */
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
  const options = { gateway: {}, ...given };
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
