// The program that runs test files one after another in one process, so that what they import is loaded and warm for all but the
// first. A file is over when nothing keeps its process running any more, as it would be in a process of its own.

import { pathToFileURL } from "node:url";
import { endOfOutput, type FileEnd, type HostedFile } from "./batch.ts";

/** What uvu keeps in the global object: the tests of the files that it has been given. */
interface UvuGlobals {
  UVU_DEFER: number;
  UVU_QUEUE: unknown[][];
}

const uvu = globalThis as typeof globalThis & UvuGlobals;
uvu.UVU_QUEUE = [[]];
uvu.UVU_DEFER = 1; // files queue their tests, which `exec` runs
const { exec, test } = await import("uvu");
const { channel, env } = process;
const [directory, environment] = [process.cwd(), { ...env }];
const send = process.send?.bind(process);
delete process.send; // tests see a process that no other one talks to
const untouched = shared();

let state: "loading" | "running" | "over" = "over";

async function run(file: HostedFile): Promise<void> {
  state = "loading";
  for (const name of Object.keys(env)) delete env[name];
  Object.assign(env, environment, file.environment);
  process.chdir(directory);
  process.argv[1] = file.path;
  process.exitCode = undefined;
  test.run(); // takes what the last file has not run from those that are to run
  uvu.UVU_QUEUE = [[null]];
  channel?.unref();
  await import(pathToFileURL(file.path).href);
  state = "running";
  const hasTests = uvu.UVU_QUEUE.flat().length > 1;
  if (hasTests) await exec();
  state = "over";
}

/** What tests replace for a while, and would hide the failures of the next file by where they left it replaced. */
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
    // It waits for what will never come: this ends as a process of its own would, which uvu gives a status while tests run.
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
