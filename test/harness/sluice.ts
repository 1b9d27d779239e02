import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HostedCommand } from "./command-host.ts";
import { projectRoot } from "./directories.ts";
import { type Outcome, type Program, type ProgramOptions, run, start } from "./processes.ts";

/** The bundle that the test command has just built, if it runs. */
const bundle = process.env.SLUICE_TEST_COMMAND;

/** The program to start: the bundle, or otherwise the launcher, which uses the newer of the build and the sources. */
export const sluiceCommand = bundle ?? join(projectRoot, "bin/sluice.js");

/** Runs the command line to its end, as a user would: `await sluice(["check", "orders.yaml"], { cwd })`. */
export function sluice(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  return run(process.execPath, [sluiceCommand, ...args], options);
}

/** Starts a command that serves (`run`); wait for its `listening` line with `matching`. */
export function startSluice(args: readonly string[], options: ProgramOptions = {}): Program {
  return start(process.execPath, [sluiceCommand, ...args], options);
}

/**
 * Like `sluice`, for suites of many runs: one process runs them one after another, so that the compiler stays loaded
 * and warm. Not for tests that depend on the process: terminals, signals, standard input, packages that change between
 * runs.
 */
export async function warmSluice(
  args: readonly string[],
  options: Pick<ProgramOptions, "cwd" | "env"> = {},
): Promise<Outcome> {
  const { cwd = process.cwd(), env = {} } = options;
  const before = lastRun;
  const over = Promise.withResolvers<void>();
  lastRun = over.promise;
  await before;
  try {
    return await runHosted({ args, cwd, env: { ...process.env, ...env } });
  } finally {
    over.resolve();
  }
}

let lastRun: Promise<void> = Promise.resolve();
let host: ChildProcess | undefined;

async function runHosted(command: HostedCommand): Promise<Outcome> {
  const process = host ?? startHost();
  process.ref();
  process.channel?.ref();
  const over = new AbortController();
  const { signal } = over;
  const answer = once(process, "message", { signal });
  const end = once(process, "exit", { signal }).then(([status]) => {
    throw new Error(`\`sluice ${command.args.join(" ")}\` ended its host: ${status}`);
  });
  end.catch(() => undefined); // the wait is aborted after a response
  process.send(command);
  const [outcome] = await Promise.race([answer, end]).finally(() => over.abort());
  process.unref();
  process.channel?.unref();
  return outcome;
}

function startHost(): ChildProcess {
  const script = bundle ?? join(projectRoot, "cli/main.ts");
  const program = join(import.meta.dirname, "command-host.ts");
  host = fork(program, [script], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return host;
}
