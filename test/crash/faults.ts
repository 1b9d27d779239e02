import type { Random } from "../fuzz/byte-mutator.ts";

/** The kind of fault that a gateway or its broker suffers. */
export type FaultKind =
  | "kill"
  | "kill at start"
  | "restart source"
  | "restart destination"
  | "cut"
  | "terminate";

/** A fault and the moment when it happens. */
export interface Fault {
  readonly kind: FaultKind;
  /** The number of distinct messages that must have arrived; the fault happens `delay` milliseconds later. */
  readonly after: number;
  readonly delay: number;
}

/** The number of faults of each kind in a run. */
export interface FaultCounts {
  /** SIGKILL of the gateway; every third one hits the gateway while it restarts after the previous kill. */
  readonly kills: number;
  /** Restarts of each broker that can be restarted. */
  readonly restarts: number;
  /** Connections broken by the proxies. */
  readonly cuts: number;
  /** SIGTERM of the gateway. */
  readonly terminations: number;
}

/** Longest delays in milliseconds: from the awaited message to the fault, and from a start to a kill during it. */
const delays = { running: 60, starting: 1500 };

/** Returns faults at random moments among `total` messages, in order. */
export function planFaults(counts: FaultCounts, total: number, random: Random): readonly Fault[] {
  const atStart = Math.floor(counts.kills / 3);
  const kinds: FaultKind[] = [
    ...repeat("kill", counts.kills - atStart),
    ...repeat("restart source", counts.restarts),
    ...repeat("restart destination", counts.restarts),
    ...repeat("cut", counts.cuts),
    ...repeat("terminate", counts.terminations),
  ];
  // The last twentieth of the messages follows the last fault.
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
