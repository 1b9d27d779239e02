// What streams do: states and counters as the service has them of the gateways, and rates, which are computed here.

import { element } from "../kit/elements.ts";
import { Refusal } from "../kit/requests.ts";
import type { Cell } from "../kit/tables.ts";
import { askServiceFor } from "./ask.ts";

/** A stream as `GET /api/streams` gives it. */
export interface Stream {
  readonly api_id: string;
  readonly stream: string;
  readonly state: string;
  readonly reason?: string;
  readonly wanted: "running" | "stopped";
  readonly messages: Readonly<Record<string, number>>;
  readonly last_error?: { readonly reason: string; readonly at: string };
}

/** A stream with what it does in a second; absent with the first look at it. */
export interface Measured extends Stream {
  readonly rates?: { readonly received: number; readonly written: number };
}

interface Look {
  readonly at: number;
  readonly messages: Stream["messages"];
  readonly rates?: Measured["rates"];
}

const looks = new Map<string, Look>();

/** Milliseconds: gateways report once a second, so that less would count a report twice or not at all. */
const shortest = 1_500;

/** All streams that are deployed; of one API where it is named. */
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
    // A gateway that started anew counts from nothing.
    return Math.max(0, ((count - former) * 1000) / (now - (before?.at ?? now)));
  };
  const rates = before && { received: rate("received"), written: rate("written") };
  looks.set(key, { at: now, messages: stream.messages, ...(rates && { rates }) });
  return { ...stream, ...(rates && { rates }) };
}

/** A rate for people. */
export function rateOf(streams: readonly Measured[], name: "received" | "written"): string {
  const known = streams.flatMap(({ rates }) => rates ?? []);
  if (known.length === 0) return "–";
  const sum = known.reduce((total, rates) => total + rates[name], 0);
  return sum >= 100 || sum === 0 ? sum.toFixed(0) : sum.toFixed(1);
}

/** A count of all these streams together. */
export function countOf(streams: readonly Stream[], name: string): string {
  return streams.reduce((total, { messages }) => total + (messages[name] ?? 0), 0).toLocaleString("en");
}

const bad: readonly string[] = ["failed", "blocked"];
const good: readonly string[] = ["running", "waiting", "finished"];

/** The state of a stream in colour and in words. */
export function stateOf({ state, reason }: Stream): Cell {
  const word = element("span", state);
  word.className = bad.includes(state) ? "bad" : good.includes(state) ? "good" : "warn";
  return { inside: reason === undefined ? [word] : [word, `: ${reason}`] };
}

/** How many of an API's streams are in which state, the bad ones first. */
export function statesOf(streams: readonly Stream[]): Cell {
  const byState = Map.groupBy(streams, ({ state }) => state);
  const sorted = [...byState].toSorted(([a], [b]) => Number(bad.includes(b)) - Number(bad.includes(a)));
  const words = sorted.map(([state, list]) => {
    const word = element("span", `${list.length} ${state}`);
    word.className = bad.includes(state) ? "bad" : good.includes(state) ? "good" : "warn";
    return word;
  });
  return { inside: words.flatMap((word, index) => (index === 0 ? [word] : [", ", word])) };
}
