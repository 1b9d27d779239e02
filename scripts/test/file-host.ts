// Runs test files one after another in one process, so that shared modules are loaded only once. A file has ended
// when nothing keeps the event loop alive, as in a process of its own.

import "../../test/harness/patched-swagger-parser.ts";
import { pathToFileURL } from "node:url";
import { endOfOutput, type FileEnd, type HostedFile } from "./batch.ts";

/** The globals of uvu: the tests of the files that were loaded. */
interface UvuGlobals {
  UVU_DEFER: number;
  UVU_QUEUE: unknown[][];
}

const uvu = globalThis as typeof globalThis & UvuGlobals;
uvu.UVU_QUEUE = [[]];
uvu.UVU_DEFER = 1; // files queue their tests; `exec` runs them
const { exec, test } = await import("uvu");
const { channel, env } = process;
const [directory, environment] = [process.cwd(), { ...env }];
const send = process.send?.bind(process);
delete process.send; // hides the IPC channel from tests
const untouched = shared();

let state: "loading" | "running" | "over" = "over";

async function run(file: HostedFile): Promise<void> {
  state = "loading";
  for (const name of Object.keys(env)) delete env[name];
  Object.assign(env, environment, file.environment);
  process.chdir(directory);
  process.argv[1] = file.path;
  process.exitCode = undefined;
  test.run(); // removes tests that the previous file queued but did not run
  uvu.UVU_QUEUE = [[null]];
  channel?.unref();
  await import(pathToFileURL(file.path).href);
  state = "running";
  const hasTests = uvu.UVU_QUEUE.flat().length > 1;
  if (hasTests) await exec();
  state = "over";
}

/**
 * Returns the globals that tests replace temporarily. A file that leaves one replaced could hide failures of the next
 * file.
 */
function shared(): readonly unknown[] {
  return [
    ...[fetch, setTimeout, setInterval, setImmediate, queueMicrotask, Date, Date.now, Math.random],
    ...[console.log, console.error, console.warn, performance.now],
    ...[process.exit, process.kill, process.stdout.write, process.stderr.write],
    ...["uncaughtException", "unhandledRejection"].map((event) => process.listenerCount(event)),
  ];
}

process.on("message", (message: HostedFile | "exit") => {
  if (message === "exit") process.exit(0);
  void run(message);
});
process.on("beforeExit", (status) => {
  if (state !== "over") {
    // The file waits for something that never happens. Exit like a process of its own, with uvu's status if tests are
    // running.
    if (state === "loading") process.exitCode = 13;
    return;
  }
  const now = shared();
  const isReusable = status === 0 && untouched.every((value, index) => value === now[index]);
  channel?.ref();
  for (const stream of [process.stdout, process.stderr]) stream.write(endOfOutput);
  send?.({ status, isReusable } satisfies FileEnd);
});
process.on("disconnect", () => process.exit(0));
