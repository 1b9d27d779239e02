// What the listener for operators answers, asked every two seconds, and what came of it over time.

import { signal } from "@preact/signals";
import type { ProcessInfo } from "../../runtime/gateway/admin/process-info.ts";
import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import type { StreamState } from "../../runtime/stream/stream-state.ts";
import type { AskedState } from "../kit/asked.tsx";
import { send } from "../kit/requests.ts";

/** What `/readyz` answers. */
interface Readiness {
  readonly reasons?: readonly string[];
  readonly notes?: readonly string[];
}

/** One look at the gateway. */
export interface Look {
  readonly readiness: Readiness;
  readonly streams: readonly StreamState[];
  readonly routes: readonly RouteRow[];
  readonly info: ProcessInfo;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counters that rates are made of. */
export type RatedCounter = "received" | "delivered" | "failed";

/** Messages a second; absent where the stream was not there before, or its counters began anew. */
export type Rates = Readonly<Record<RatedCounter, number>>;

/** A stream at a moment of the past. */
export interface Sample {
  readonly rates: Rates | undefined;
  readonly inFlight: number;
  readonly lag: number | undefined;
}

/** All streams at a moment of the past; `at` in seconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly streams: ReadonlyMap<string, Sample>;
}

/** The last look; absent until the first answer. */
export const look = signal<Look | undefined>(undefined);
/** Whether the gateway answered when it was asked last. */
export const isAway = signal(false);
/** Whether a person has stopped the questions. */
export const isPaused = signal(false);
/** The looks of the last ten minutes, the newest last. */
export const past = signal<readonly Moment[]>([]);

/** Milliseconds between two looks. */
export const period = 2_000;
const mostMoments = 300;

/** How the question stands that all views of the page are made from. */
export function lookState(): AskedState {
  const failure = isAway.value ? "The gateway does not answer." : undefined;
  return { failure, isBusy: look.value === undefined && failure === undefined, refresh: lookAt };
}

/** What a stream is known by: API, name, and the instance and worker where there are several. */
export function keyOf({ api, stream, instance, worker }: StreamState): string {
  return JSON.stringify([api, stream, instance ?? null, worker ?? null]);
}

/** The name of a stream, with its instance and worker. */
export function nameOf({ stream, instance, worker }: StreamState): string {
  const parts = [stream];
  if (instance !== undefined) parts.push(`instance ${instance}`);
  if (worker !== undefined) parts.push(`worker ${worker}`);
  return parts.join(", ");
}

/** Asks the gateway. */
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
    // Whatever the reason is, people see it as this; the browser's console has the request that failed.
    isAway.value = true;
  }
}

/** The JSON of an answer; a gateway that is not ready answers 503. */
async function read<T>(path: string): Promise<T> {
  const { status, isOk, text } = await send("GET", path);
  if (!isOk && status !== 503) throw new Error(`${path} answers ${status}`);
  // The listener is the one that this page came from.
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

/** The rates of a stream now. */
export function ratesOf(state: StreamState): Rates | undefined {
  return isAway.value ? undefined : past.value.at(-1)?.streams.get(keyOf(state))?.rates;
}

/** What a function finds in each sample of the past, added up over the streams; `null` where none is known. */
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
