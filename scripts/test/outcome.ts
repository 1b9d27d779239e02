import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Suite } from "./suites.ts";

/** What became of a suite. */
export interface Outcome {
  readonly suite: Suite;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What it printed; told only where something failed. */
  readonly output: string;
  /** Why it was skipped, or what went wrong beyond what it says itself. */
  readonly remark?: string;
  readonly seconds: number;
}

// Bounds for suites that hang: no test is decided by them. The second counts from when uvu has counted failures,
// which nothing undoes: what keeps such a file running is what its failed tests left open.
const longestRun = 300_000;
const longestEnd = 5_000;

/** How a suite's process ended: its status, or the signal it died of. */
export type Ending = number | NodeJS.Signals;

/**
 * Runs the suite's command in a process group of its own, and ends whatever is left of the group
 * afterwards, so that no suite leaves a server behind. `signal` ends it at once.
 */
export function runSuite(
  suite: Suite,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Outcome> {
  const [command = "", ...args] = suite.command;
  const child = spawn(command, args, {
    env: { ...inheritedEnvironment(), ...environment, ...environmentOf(suite) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  return watch(suite, child, () => endOf(child), signal);
}

/** What every process of a run has in its environment. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env; // Node warns when both are set
  return { ...inherited, NO_COLOR: "1" };
}

/** What the processes of a suite have beside it. */
export function environmentOf(suite: Suite): Readonly<Record<string, string>> {
  return { SLUICE_TEST_WORDS: suite.words.join(" ") };
}

/** Judges what `child` does from here until `ending` resolves; a suite that takes too long, or `signal`, ends the child's group. */
export async function watch(
  suite: Suite,
  child: ChildProcess,
  ending: () => Promise<Ending>,
  signal: AbortSignal,
): Promise<Outcome> {
  const begin = performance.now();
  const end = () => endGroup(child);
  const timers = [setTimeout(end, longestRun)];
  let output = "";
  const onText = (text: string) => {
    output += text;
    const failed = timers.length === 1 ? (readCounts(output)?.failed ?? 0) : 0;
    if (failed > 0) timers.push(setTimeout(end, longestEnd));
  };
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.setEncoding("utf8").on("data", onText);
  signal.addEventListener("abort", end);
  try {
    const status = await ending();
    const seconds = (performance.now() - begin) / 1000;
    return { suite, ...judge(suite, status, output), output, seconds };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    for (const stream of streams) stream?.off("data", onText).resume(); // to its end
    signal.removeEventListener("abort", end);
  }
}

/** Resolves with how the process ended, once what is left of its group has been ended too and all of its output is there. */
export async function endOf(child: ChildProcess): Promise<Ending> {
  const closed = once(child, "close");
  const [status, signal] = await once(child, "exit");
  endGroup(child);
  await closed;
  return status ?? signal;
}

/** Ends the process and all that it has started. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // ESRCH: no process is left in it
  }
}

type Judgement = Pick<Outcome, "passed" | "failed" | "skipped" | "remark">;

/**
 * Counts the tests in uvu's closing lines. uvu exits 0 when a `before` hook throws, and says nothing at
 * all when `test.run()` is missing: both are failures here.
 */
function judge(suite: Suite, status: Ending, output: string): Judgement {
  const succeeded = status === 0;
  if (!suite.isTestFile) {
    return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  }
  const counts = readCounts(output);
  if (counts === undefined) {
    const remark = succeeded ? "it ran no test: is `test.run()` missing?" : `it ended with ${status}`;
    return { passed: 0, failed: 1, skipped: 0, remark };
  }
  const { total, passed, failed, skipped } = counts;
  if (succeeded && total === 0 && skipped === 0)
    return { passed, failed: 1, skipped, remark: "it has no test" };
  if (succeeded && failed > 0)
    return { passed, failed, skipped, remark: "a `before` or `after` hook failed" };
  if (!succeeded && failed === 0) return { passed, failed: 1, skipped, remark: `it ended with ${status}` };
  if (status === "SIGKILL") return { passed, failed, skipped, remark: "it did not end" };
  return { passed, failed, skipped };
}

interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What uvu says when all tests are over; `undefined` before that. */
function readCounts(output: string): Counts | undefined {
  const lines = /^ {2}Total: {5}(\d+)\n {2}Passed: {4}(\d+)\n {2}Skipped: {3}(\d+)\n/gm;
  const counts = [...output.matchAll(lines)].at(-1);
  if (counts === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = counts.slice(1).map(Number);
  return { total, passed, failed: total - passed, skipped };
}
