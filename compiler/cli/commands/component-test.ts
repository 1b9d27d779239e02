// `sluice component test`: the tests of a package, by Node's own runner, under the Node that this command runs under.

import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs the tests below `folder`. Gives the exit code of the runner. */
export async function runComponentTest(folder: string): Promise<number> {
  const args = ["--test", "test/**/*.test.{ts,mts,js,mjs}"];
  const runner = spawn(process.execPath, args, { cwd: folder, stdio: "inherit" });
  const [status] = await once(runner, "exit");
  return typeof status === "number" ? status : 1;
}
