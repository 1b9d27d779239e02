import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Suite } from "./suites.ts";

/** The outcome of a suite. */
export interface Outcome {
  readonly suite: Suite;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Its output; printed only if something failed. */
  readonly output: string;
  /** Why it was skipped, or a problem that its output does not report. */
  readonly remark?: string;
  readonly seconds: number;
}

// Time limits for suites that hang; they decide no test. The second one starts when uvu has reported failures,
// which are final: after that, only resources that failed tests left open keep such a file running.
const longestRun = 900_000;
const longestEnd = 5_000;

/** How a suite's process ended: its exit status, or the signal that killed it. */
export type Ending = number | NodeJS.Signals;

/**
 * Runs the suite's command in a process group of its own and kills the rest of the group afterwards,
 * so that no suite leaves a server behind. `signal` ends it immediately.
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

/** Returns the environment of every process of a run. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env; // Node warns when both are set
  return { ...inherited, NO_COLOR: "1" };
}

/** Returns the additional environment of a suite's processes. */
export function environmentOf({ words, database }: Suite): Readonly<Record<string, string>> {
  return { SLUICE_TEST_WORDS: words.join(" "), ...(database && { SLUICE_TEST_DATABASE: database }) };
}

/**
 * Returns the outcome of `child` until `ending` resolves. If the suite takes too long, or `signal` aborts, the
 * process group is killed.
 */
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
  // What is read of standard error meanwhile may come between two lines of the counts.
  let printed = "";
  const onText = (text: string) => {
    output += text;
  };
  const onPrinted = (text: string) => {
    printed += text;
    const failed = timers.length === 1 ? (readCounts(printed)?.failed ?? 0) : 0;
    if (failed > 0) timers.push(setTimeout(end, longestEnd));
  };
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.setEncoding("utf8").on("data", onText);
  child.stdout?.on("data", onPrinted);
  signal.addEventListener("abort", end);
  try {
    const status = await ending();
    const seconds = (performance.now() - begin) / 1000;
    return { suite, ...judge(suite, status, printed), output, seconds };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    child.stdout?.off("data", onPrinted);
    for (const stream of streams) stream?.off("data", onText).resume(); // reads the rest
    signal.removeEventListener("abort", end);
  }
}

/** Resolves with how the process ended, after the rest of its group was killed and all of its output was read. */
export async function endOf(child: ChildProcess): Promise<Ending> {
  const closed = once(child, "close");
  const [status, signal] = await once(child, "exit");
  endGroup(child);
  await closed;
  return status ?? signal;
}

/** Kills the process and all processes it started. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // ESRCH: the group has no process left
  }
}

type Judgement = Pick<Outcome, "passed" | "failed" | "skipped" | "remark">;

/**
 * Counts the tests in uvu's closing lines. uvu exits with 0 if a `before` hook throws, and prints nothing
 * if `test.run()` is missing: both count as failures.
 */
function judge(suite: Suite, status: Ending, printed: string): Judgement {
  const succeeded = status === 0;
  if (!suite.isTestFile) {
    return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  }
  const counts = readCounts(printed);
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

/** Returns the counts that uvu prints on standard output after all tests; `undefined` before that. */
function readCounts(printed: string): Counts | undefined {
  const lines = /^ {2}Total: {5}(\d+)\n {2}Passed: {4}(\d+)\n {2}Skipped: {3}(\d+)\n/gm;
  const counts = [...printed.matchAll(lines)].at(-1);
  if (counts === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = counts.slice(1).map(Number);
  return { total, passed, failed: total - passed, skipped };
}
