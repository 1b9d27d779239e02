import { join } from "node:path";
import { projectRoot } from "./directories.ts";
import { type Outcome, type Program, type ProgramOptions, run, start } from "./processes.ts";

const command = join(projectRoot, "bin/sluice.js");

/** Runs the command line to its end, as a user would: `await sluice(["check", "orders.yaml"], { cwd })`. */
export function sluice(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  return run(process.execPath, [command, ...args], options);
}

/** Starts a command that serves (`run`); wait for its `listening` line with `matching`. */
export function startSluice(args: readonly string[], options: ProgramOptions = {}): Program {
  return start(process.execPath, [command, ...args], options);
}
