// The streams of the gateway: states, counters, and rates, which are computed here.

import type { StreamState } from "../../runtime/stream/stream-state.ts";
import { byId } from "../kit/elements.ts";
import { type Cell, cell, fill } from "../kit/tables.ts";

type Counter = "received" | "delivered" | "failed";

const counters: readonly Counter[] = ["received", "delivered", "failed"];
const good: readonly string[] = ["running", "waiting", "finished"];
const bad: readonly string[] = ["failed", "blocked"];

/** The counters of each stream as the last answer had them, and when that was. */
let earlier: ReadonlyMap<string, { readonly messages: StreamState["messages"]; readonly at: number }> =
  new Map();

/** Shows the streams; `now` in milliseconds. */
export function showStreams(states: readonly StreamState[], now: number): void {
  const rows = states.map((state): [string, readonly Cell[]] => [keyOf(state), cellsOf(state, now)]);
  fill(byId<HTMLTableElement>("streams"), new Map(rows));
  earlier = new Map(states.map((state) => [keyOf(state), { messages: state.messages, at: now }]));
}

/** The next answer shows no rates. */
export function forgetRates(): void {
  earlier = new Map();
}

function keyOf({ api, stream, instance, worker }: StreamState): string {
  return JSON.stringify([api, stream, instance, worker]);
}

function cellsOf(state: StreamState, now: number): readonly Cell[] {
  const { api, status, reason, messages, clients, lag } = state;
  const number = (value: number | string = "") => cell(String(value), "number");
  return [
    cell(api),
    cell(nameOf(state)),
    cell(
      reason === undefined ? status : `${status}: ${reason}`,
      good.includes(status) ? "ok" : bad.includes(status) ? "bad" : "odd",
    ),
    ...counters.map((counter) => number(rateOf(state, counter, now))),
    ...[...counters, "inFlight" as const].map((name) => number(messages[name])),
    number(clients),
    number(lag),
  ];
}

function nameOf({ stream, instance, worker }: StreamState): string {
  const parts = [stream];
  if (instance !== undefined) parts.push(`instance ${instance}`);
  if (worker !== undefined) parts.push(`worker ${worker}`);
  return parts.join(", ");
}

/** Messages a second since the answer before; empty where there is none, or the counter began anew. */
function rateOf(state: StreamState, counter: Counter, now: number): string {
  const before = earlier.get(keyOf(state));
  if (before === undefined || state.messages[counter] < before.messages[counter]) return "";
  const perSecond = ((state.messages[counter] - before.messages[counter]) * 1000) / (now - before.at);
  return perSecond === 0 ? "0" : perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}
