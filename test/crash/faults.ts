import type { Random } from "../fuzz/byte-mutator.ts";

/** What is done to a gateway or its broker. */
export type FaultKind =
  | "kill"
  | "kill at start"
  | "restart source"
  | "restart destination"
  | "cut"
  | "terminate";

/** A fault and its moment. */
export interface Fault {
  readonly kind: FaultKind;
  /** It happens once so many different messages have arrived, and then `delay` milliseconds later. */
  readonly after: number;
  readonly delay: number;
}

/** How often each thing happens in a run. */
export interface FaultCounts {
  /** SIGKILL of the gateway; every third meets it while it starts after the one before. */
  readonly kills: number;
  /** Restarts of each broker, where there is one. */
  readonly restarts: number;
  /** Connections broken by the proxies. */
  readonly cuts: number;
  /** SIGTERM of the gateway. */
  readonly terminations: number;
}

/** The longest time from the message that a fault waits for to the fault, and from a start to a kill in it. */
const delays = { running: 60, starting: 1500 };

/** Faults at random moments among `total` messages, in their order. */
export function planFaults(counts: FaultCounts, total: number, random: Random): readonly Fault[] {
  const atStart = Math.floor(counts.kills / 3);
  const kinds: FaultKind[] = [
    ...repeat("kill", counts.kills - atStart),
    ...repeat("restart source", counts.restarts),
    ...repeat("restart destination", counts.restarts),
    ...repeat("cut", counts.cuts),
    ...repeat("terminate", counts.terminations),
  ];
  // The last twentieth is left to what follows the last fault.
  const planned = kinds
    .map((kind) => ({ kind, after: random(Math.floor(total * 0.95)), delay: random(delays.running) }))
    .sort((one, other) => one.after - other.after);
  let left = atStart;
  return planned.flatMap((fault) => {
    if (fault.kind !== "kill" || left === 0) return [fault];
    left -= 1;
    return [fault, { kind: "kill at start", after: fault.after, delay: random(delays.starting) }];
  });
}

function repeat(kind: FaultKind, count: number): FaultKind[] {
  return Array.from({ length: count }, () => kind);
}
