import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { whenEnding } from "./ending.ts";
import { within } from "./wait.ts";

/** The working directory, environment and standard input of a program. */
export interface ProgramOptions {
  readonly cwd?: string;
  /** Variables that are added to the environment of this process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Whether standard input stays open after `input`, for the test to write to it. */
  readonly keepsInput?: boolean;
  readonly timeout?: number;
  /** The account that it runs as, if this process may choose. */
  readonly account?: { readonly uid: number; readonly gid: number };
}

/** The result of a program that has ended. */
export interface Outcome {
  /** The exit status, or the name of the signal that killed it. */
  readonly status: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs until it is stopped. */
export interface Program {
  readonly process: ChildProcess;
  /** Its standard output and error so far, in order of arrival; only the end if there is very much. */
  output(): string;
  /** Resolves with the first match in the output; rejects with the output if the program ends before. */
  matching(pattern: RegExp, timeout?: number): Promise<RegExpExecArray>;
  /**
   * Sends `signal` (default SIGTERM) and resolves with the exit; kills it after `patience` milliseconds (default
   * 60,000).
   */
  stop(signal?: NodeJS.Signals, patience?: number): Promise<number | NodeJS.Signals>;
  /** Resolves with the exit status or the signal when the program ends. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs a program to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Outcome> {
  const child = launch(command, args, options);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  child.stdin?.end(options.input ?? "");
  const status = await within(ending(child), {
    timeout: options.timeout ?? 600_000,
    what: `the end of ${command}`,
  }).finally(() => child.kill("SIGKILL"));
  return { status, stdout: stdout(), stderr: stderr() };
}

/** Characters of a program's output that are kept: a broker that logs each packet writes more in an hour than fits. */
const mostOutput = 64 * 1024 * 1024;

/** Starts a program that serves. It is killed with this process if the test does not stop it. */
export function start(command: string, args: readonly string[], options: ProgramOptions = {}): Program {
  const child = launch(command, args, options);
  child.stdin?.write(options.input ?? "");
  if (options.keepsInput !== true) child.stdin?.end();
  let output = "";
  const changed = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = output.length > mostOutput ? output.slice(-mostOutput / 2) + text : output + text;
      for (const notify of changed) notify();
    });
  }
  const ended = ending(child);
  ended.catch(() => undefined); // a program may fail to start before the test waits for it; `matching` reports it
  return {
    process: child,
    output: () => output,
    ended,
    matching: (pattern, timeout = 60_000) =>
      within(
        firstMatch(pattern, () => output, changed, ended),
        {
          timeout,
          what: `${pattern} in the output of ${command}`,
        },
      ).catch((error: Error) => {
        throw new Error(`${error.message}; it wrote:\n${output}`);
      }),
    stop: async (signal = "SIGTERM", patience = 60_000) => {
      child.kill(signal);
      const stuck = setTimeout(() => child.kill("SIGKILL"), patience);
      return ended.finally(() => clearTimeout(stuck));
    },
  };
}

/** Returns the program's path: from PATH, or from the directories for servers that a user's PATH may lack. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

function launch(command: string, args: readonly string[], options: ProgramOptions): ChildProcess {
  // A test's own bundle starts once or twice: caching its compiled code costs more than compiling it.
  const isBundle = args.some((argument) => basename(argument) === "gateway.mjs");
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...(isBundle && { NODE_COMPILE_CACHE: undefined }), ...options.env },
    stdio: "pipe",
    ...options.account,
  });
  endWithThisProcess(child);
  child.stdin?.on("error", () => undefined); // the program may not read its input
  return child;
}

function endWithThisProcess(child: ChildProcess): void {
  child.on(
    "close",
    whenEnding(() => void child.kill("SIGKILL")),
  );
}

async function ending(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [status, signal] = await once(child, "close");
  return status ?? signal;
}

function collect(stream: ChildProcess["stdout"]): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return () => text;
}

function firstMatch(
  pattern: RegExp,
  output: () => string,
  changed: Set<() => void>,
  ended: Promise<number | NodeJS.Signals>,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(output());
      if (match === null) return false;
      changed.delete(look);
      resolve(match);
      return true;
    };
    changed.add(look);
    if (look()) return;
    ended.then((status) => look() || reject(new Error(`it ended with ${status}`)), reject);
  });
}
