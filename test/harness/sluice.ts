import { join } from "node:path";
import { CommandHost, runShared } from "./command-hosts.ts";
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
 * Like `sluice`, for suites of many runs: a process runs them one after another, so that the compiler stays loaded
 * and warm. Not for tests that depend on the process: terminals, signals, standard input, packages that change between
 * runs.
 */
export async function warmSluice(
  args: readonly string[],
  options: Pick<ProgramOptions, "cwd" | "env"> = {},
): Promise<Outcome> {
  const { cwd = process.cwd(), env = {} } = options;
  const command = { args, cwd, env: { ...process.env, ...env } };
  if (sharedHosts !== undefined) return runShared(sharedHosts, command);
  ownHost ??= new CommandHost(bundle ?? join(projectRoot, "cli/main.ts"));
  return ownHost.run(command);
}

/** Where the test command, if it runs, serves the hosts that its files share. */
const sharedHosts = process.env.SLUICE_TEST_HOSTS;
let ownHost: CommandHost | undefined;
