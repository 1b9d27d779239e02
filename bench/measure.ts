// Compares two implementations of the same work in one process: alternating rounds, CPU time, ratio of medians.

/** Two functions that process a message in the same way; `goal` is the minimum speed of the candidate. */
export interface Comparison {
  readonly name: string;
  readonly goal: number;
  readonly baseline: (message: Uint8Array) => unknown;
  readonly candidate: (message: Uint8Array) => unknown;
  readonly messages: readonly Uint8Array[];
}

/** Medians in microseconds of CPU time per message; `speed` is the baseline's time divided by the candidate's. */
export interface Outcome {
  readonly name: string;
  readonly goal: number;
  readonly baseline: number;
  readonly candidate: number;
  readonly speed: number;
}

const rounds = 15;
const microsecondsPerRound = 60_000;

/** Measures both in alternating rounds; the order changes in every round. */
export function compare({ name, goal, baseline, candidate, messages }: Comparison): Outcome {
  const [repeats] = [calibrate(baseline, messages), calibrate(candidate, messages)].sort((a, b) => b - a);
  const times: Record<"baseline" | "candidate", number[]> = { baseline: [], candidate: [] };
  for (let round = 0; round < rounds; round++) {
    const sides = [
      () => times.baseline.push(timeOf(baseline, messages, repeats ?? 1)),
      () => times.candidate.push(timeOf(candidate, messages, repeats ?? 1)),
    ];
    for (const side of round % 2 === 0 ? sides : sides.reverse()) side();
  }
  const [base, other] = [median(times.baseline), median(times.candidate)];
  return { name, goal, baseline: base, candidate: other, speed: base / other };
}

/** Returns the CPU time of `work` in microseconds. */
export function cpuTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Returns the median of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns the number of repetitions per round, after the engine has optimised the function. */
function calibrate(work: Comparison["baseline"], messages: readonly Uint8Array[]): number {
  for (let repeats = 1; ; repeats *= 2) {
    const spent = timeOf(work, messages, repeats) * messages.length * repeats;
    if (spent >= microsecondsPerRound) return repeats;
  }
}

/** Returns the microseconds per message. */
function timeOf(work: Comparison["baseline"], messages: readonly Uint8Array[], repeats: number): number {
  let results = 0;
  const spent = cpuTime(() => {
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const message of messages) if (work(message) !== undefined) results++;
    }
  });
  if (results === 0) throw new Error("nothing came out");
  return spent / (messages.length * repeats);
}
