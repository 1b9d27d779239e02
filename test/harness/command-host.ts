// The process behind `warmSluice`: runs the command line repeatedly, each time as if it were alone in the process.

import { pathToFileURL } from "node:url";
import type { Outcome } from "./processes.ts";

/** One run of the command line, as the parent process sends it. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const [, , script = ""] = process.argv;
const output = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"] as const) {
  process[name].isTTY = false;
  process[name].setMaxListeners(0); // every run adds a listener for errors of its output
  process[name].write = (text: string | Uint8Array) => {
    output[name] += typeof text === "string" ? text : Buffer.from(text).toString();
    return true;
  };
}

let runs = 0;

async function run({ args, cwd, env }: HostedCommand): Promise<Outcome> {
  output.stdout = "";
  output.stderr = "";
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, script, ...args];
  process.exitCode = undefined;
  runs += 1;
  await import(`${pathToFileURL(script).href}?run=${runs}`); // evaluated again; its imports stay loaded
  return { status: Number(process.exitCode ?? 0), ...output };
}

process.on("disconnect", () => process.exit());
process.on("message", async (command: HostedCommand) => process.send?.(await run(command)));
