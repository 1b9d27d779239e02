// Runs test files in a shared process, since most of a file's cost is loading and compiling modules that other files
// load, too.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import {
  type Ending,
  endOf,
  environmentOf,
  inheritedEnvironment,
  type Outcome,
  runSuite,
  watch,
} from "./outcome.ts";
import type { Suite } from "./suites.ts";

/** A test file, as sent to `file-host.ts`. */
export interface HostedFile {
  /** Its absolute path. */
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The message sent back when a file has ended. */
export interface FileEnd {
  readonly status: number;
  /** Whether the process is in the same state as before the file, so that the next file can run in it. */
  readonly isReusable: boolean;
}

/** Marks the end of a file's output on both streams, which are read independently of the message with its status. */
export const endOfOutput = "\0end of the file\n";

/**
 * Runs suites one after another and reports each outcome. Test files share a process until one of them fails,
 * crashes, hangs or leaves a global replaced; the next one then gets a new process. A single suite has a process of
 * its own.
 */
export async function runBatch(
  suites: readonly Suite[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
  record: (outcome: Outcome) => void,
): Promise<void> {
  const [first] = suites;
  if (first !== undefined && suites.length === 1) return record(await runSuite(first, environment, signal));
  let host: FileHost | undefined;
  for (const suite of suites) {
    if (signal.aborted) break;
    host ??= new FileHost(environment);
    record(await host.run(suite, signal));
    if (host.isReusable) continue;
    await host.end();
    host = undefined;
  }
  await host?.end();
}

/** A process that runs test files, in a process group of its own. */
class FileHost {
  /** Whether it can run another file. */
  isReusable = true;
  readonly #earlier: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ending>;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, "file-host.ts")], {
      env: { ...inheritedEnvironment(), ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    this.#ended = endOf(this.#child);
  }

  async run(suite: Suite, signal: AbortSignal): Promise<Outcome> {
    this.isReusable = false;
    const outcome = await watch(suite, this.#child, () => this.#ending(suite), signal);
    const output = outcome.output.replaceAll(endOfOutput, "");
    const earlier = this.#earlier.join(", ");
    this.#earlier.push(suite.name);
    if (outcome.failed === 0 || earlier === "") return { ...outcome, output };
    return { ...outcome, output: `${output.trimEnd()}\nbefore it ran in the same process: ${earlier}\n` };
  }

  /** Resolves when the file has ended, or the process has. */
  async #ending(suite: Suite): Promise<Ending> {
    const listening = new AbortController();
    const outputs = [this.#child.stdout, this.#child.stderr].map(endOfFile);
    const fileEnd = Promise.all([
      once(this.#child, "message", listening),
      ...outputs.map(({ read }) => read),
    ]);
    fileEnd.catch(() => undefined); // not awaited after the process has ended
    const file: HostedFile = { path: resolve(suite.name), environment: environmentOf(suite) };
    this.#child.send(file);
    try {
      const ending = await Promise.race([this.#ended, fileEnd]);
      if (!Array.isArray(ending)) return ending;
      const { status, isReusable } = ending[0][0] as FileEnd;
      this.isReusable = isReusable;
      return status;
    } finally {
      listening.abort();
      for (const output of outputs) output.ignore();
    }
  }

  /** Ends the process normally, so that it removes its files. */
  async end(): Promise<void> {
    // Not with `disconnect`: afterwards, Node does not report that the process has closed its streams.
    if (this.#child.connected) this.#child.send("exit");
    await this.#ended;
  }
}

/** Resolves when the stream contains the end of a file's output. */
function endOfFile(stream: Readable | null): { readonly read: Promise<void>; ignore(): void } {
  const over = Promise.withResolvers<void>();
  let last = "";
  const onText = (text: string) => {
    last = last.slice(-endOfOutput.length) + text;
    if (last.includes(endOfOutput)) over.resolve();
  };
  stream?.on("data", onText);
  return { read: over.promise, ignore: () => stream?.off("data", onText) };
}
