// Polls the operator listener every two seconds and keeps the history of its responses.

import { signal } from "@preact/signals";
import type { ProcessInfo } from "../../runtime/gateway/admin/process-info.ts";
import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import type { StreamState } from "../../runtime/stream/stream-state.ts";
import type { FetchState } from "../kit/fetched.tsx";
import { send } from "../kit/requests.ts";

/** The response of `/readyz`. */
interface Readiness {
  readonly reasons?: readonly string[];
  readonly notes?: readonly string[];
}

/** The state of the gateway at one time. */
export interface Look {
  readonly readiness: Readiness;
  readonly streams: readonly StreamState[];
  readonly routes: readonly RouteRow[];
  readonly info: ProcessInfo;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counters from which rates are computed. */
export type RatedCounter = "received" | "delivered" | "failed";

/** Messages per second; absent if the stream is new, or if its counters restarted. */
export type Rates = Readonly<Record<RatedCounter, number>>;

/** The measurements of a stream at a past time. */
export interface Sample {
  readonly rates: Rates | undefined;
  readonly inFlight: number;
  readonly lag: number | undefined;
}

/** The measurements of all streams at a past time; `at` in seconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly streams: ReadonlyMap<string, Sample>;
}

/** The latest state of the gateway; absent until the first response. */
export const look = signal<Look | undefined>(undefined);
/** Whether the latest request failed. */
export const isAway = signal(false);
/** Whether the user has paused polling. */
export const isPaused = signal(false);
/** The history of the last ten minutes, oldest first. */
export const past = signal<readonly Moment[]>([]);

/** Milliseconds between two requests. */
export const period = 2_000;
const mostMoments = 300;

/** Returns the state of the request whose response all views of the page show. */
export function lookState(): FetchState {
  const failure = isAway.value ? "The gateway does not answer." : undefined;
  return { failure, isBusy: look.value === undefined && failure === undefined, refresh: lookAt };
}

/** Returns the key of a stream: API, name, and the instance and worker if there are several. */
export function keyOf({ api, stream, instance, worker }: StreamState): string {
  return JSON.stringify([api, stream, instance ?? null, worker ?? null]);
}

/** Returns the name of a stream, with its instance and worker. */
export function nameOf({ stream, instance, worker }: StreamState): string {
  const parts = [stream];
  if (instance !== undefined) parts.push(`instance ${instance}`);
  if (worker !== undefined) parts.push(`worker ${worker}`);
  return parts.join(", ");
}

/** Requests the state of the gateway. */
export async function lookAt(): Promise<void> {
  try {
    const [readiness, { streams }, { routes }, info] = await Promise.all([
      read<Readiness>("/readyz"),
      read<{ streams: readonly StreamState[] }>("/streams"),
      read<{ routes: readonly RouteRow[] }>("/routes"),
      read<ProcessInfo>("/info"),
    ]);
    const at = Date.now();
    const before = isAway.value ? undefined : look.value;
    const samples = new Map(streams.map((state) => [keyOf(state), sampleOf(state, before, at)]));
    past.value = [...past.value, { at: at / 1000, streams: samples }].slice(-mostMoments);
    look.value = { readiness, streams, routes, info, at };
    isAway.value = false;
  } catch {
    // All failures are shown in the same way; the browser's console has the request that failed.
    isAway.value = true;
  }
}

/** Returns the JSON of a response. A gateway that is not ready responds with 503. */
async function read<T>(path: string): Promise<T> {
  const { status, isOk, text } = await send("GET", path);
  if (!isOk && status !== 503) throw new Error(`${path} answers ${status}`);
  // The response comes from the listener that served this page.
  return JSON.parse(text) as T;
}

function sampleOf(state: StreamState, before: Look | undefined, now: number): Sample {
  const { messages, lag } = state;
  const former = before?.streams.find((each) => keyOf(each) === keyOf(state))?.messages;
  const seconds = (now - (before?.at ?? now)) / 1000;
  const grown = (name: RatedCounter) => messages[name] - (former?.[name] ?? 0);
  const isKnown = former !== undefined && seconds > 0;
  const isSteady = grown("received") >= 0 && grown("delivered") >= 0 && grown("failed") >= 0;
  const rate = (name: RatedCounter) => grown(name) / seconds;
  const rates = { received: rate("received"), delivered: rate("delivered"), failed: rate("failed") };
  return { rates: isKnown && isSteady ? rates : undefined, inFlight: messages.inFlight, lag };
}

/** Returns the current rates of a stream. */
export function ratesOf(state: StreamState): Rates | undefined {
  return isAway.value ? undefined : past.value.at(-1)?.streams.get(keyOf(state))?.rates;
}

/** Returns the values that `find` returns for the history, summed over the streams; `null` if none is known. */
export function seriesOf(
  keys: readonly string[] | undefined,
  find: (sample: Sample) => number | undefined,
): readonly (number | null)[] {
  return past.value.map(({ streams }) => {
    const samples =
      keys === undefined ? [...streams.values()] : keys.flatMap((key) => streams.get(key) ?? []);
    const known = samples.flatMap((sample) => find(sample) ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
  });
}
