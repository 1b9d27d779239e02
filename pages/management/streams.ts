// The activity of streams: states and counters from the service, and rates computed here.

import type { Tone } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { askServiceFor } from "./service.ts";

/** A stream in the response of `GET /api/streams`. */
export interface Stream {
  readonly api_id: string;
  readonly stream: string;
  readonly state: string;
  readonly reason?: string;
  readonly wanted: "running" | "stopped";
  readonly messages: Readonly<Record<string, number>>;
  readonly last_error?: { readonly reason: string; readonly at: string };
}

/** A stream with its rates per second; absent in the first response. */
export interface Measured extends Stream {
  readonly rates?: { readonly received: number; readonly written: number };
}

interface Look {
  readonly at: number;
  readonly messages: Stream["messages"];
  readonly rates?: Measured["rates"];
}

const looks = new Map<string, Look>();

/** Minimum interval in milliseconds: gateways report every second, so shorter intervals would distort rates. */
const shortest = 1_500;

/** Returns all deployed streams, or those of one API. */
export async function readStreams(api?: string): Promise<readonly Measured[]> {
  const query = api === undefined ? "" : `?${new URLSearchParams({ api })}`;
  try {
    const { Data } = await askServiceFor<{ Data: readonly Stream[] }>("GET", `/streams${query}`);
    return Data.map(measure);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return [];
    throw error;
  }
}

function measure(stream: Stream): Measured {
  const key = JSON.stringify([stream.api_id, stream.stream]);
  const before = looks.get(key);
  const now = performance.now();
  if (before !== undefined && now - before.at < shortest) {
    return { ...stream, ...(before.rates && { rates: before.rates }) };
  }
  const rate = (name: string) => {
    const [count = 0, former = 0] = [stream.messages[name], before?.messages[name]];
    // The counters of a restarted gateway begin at zero.
    return Math.max(0, ((count - former) * 1000) / (now - (before?.at ?? now)));
  };
  const rates = before && { received: rate("received"), written: rate("written") };
  looks.set(key, { at: now, messages: stream.messages, ...(rates && { rates }) });
  return { ...stream, ...(rates && { rates }) };
}

/** Returns the total rate of streams; `undefined` if none is known. */
export function rateOf(streams: readonly Measured[], name: "received" | "written"): number | undefined {
  const known = streams.flatMap(({ rates }) => rates ?? []);
  return known.length === 0 ? undefined : known.reduce((total, rates) => total + rates[name], 0);
}

/** Returns the total of a counter of streams. */
export function countOf(streams: readonly Stream[], name: string): number {
  return streams.reduce((total, { messages }) => total + (messages[name] ?? 0), 0);
}

const bad: readonly string[] = ["failed", "blocked"];
const good: readonly string[] = ["running", "waiting", "finished"];

/** Returns the tone for the state of a stream. */
export function toneOfState(state: string): Tone {
  return bad.includes(state) ? "bad" : good.includes(state) ? "good" : "warn";
}

/** Returns the reason for a state with the kind of failure, such as `delivery_failed: …`, in words. */
export function wordsOf(reason: string): string {
  return reason.replace(/^[a-z]+(?:_[a-z]+)*(?=: |, in |$)/, (kind) => {
    return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("_", " ")}`;
  });
}

/** Returns the number of streams in each state, the bad states first. */
export function statesOf(streams: readonly Stream[]): readonly (readonly [state: string, count: number])[] {
  const byState = Map.groupBy(streams, ({ state }) => state);
  return [...byState]
    .map(([state, list]) => [state, list.length] as const)
    .toSorted(([a], [b]) => Number(bad.includes(b)) - Number(bad.includes(a)));
}
