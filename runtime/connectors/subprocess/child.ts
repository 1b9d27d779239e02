// Runs programs that a document names and `allow_unsafe` permits. They start without a shell, and end with all
// processes they started.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { GatewayError } from "../../errors.ts";
import { unfit } from "../../grammar/computed-text.ts";
import { readLines } from "../../message/lines.ts";
import type { Logger } from "../../process/log.ts";
import { decodeUtf8 } from "../../text/utf8.ts";

/** A program and its arguments, which are passed unchanged. */
interface ProgramOptions {
  readonly name: string;
  readonly args?: readonly string[];
}

/** A running program. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when the program has ended; rejects if it could not be started. */
  readonly exited: Promise<Exit>;
  /** Ends the program immediately, with the processes that it has started. Safe to call twice. */
  kill(): void;
}

/** The exit code of a program, or the signal that ended it. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts a program. Throws 422 for arguments that are invalid for any program, and 500 if the system refuses. */
export function startProgram({ name, args = [] }: ProgramOptions): Child {
  if (args.some((arg) => arg.includes("\0"))) throw unfit("an argument of the command holds a zero byte");
  // Node passes arguments in UTF-8 only, and would replace bytes: different arguments would be the same.
  if (!args.every((arg) => arg.isWellFormed())) throw unfit("an argument of the command is not valid UTF-8");
  let process: ChildProcessWithoutNullStreams;
  try {
    // A process group of its own, so that it can be ended as a whole.
    process = spawn(name, args, { env: environment(), shell: false, detached: true, windowsHide: true });
  } catch (error) {
    throw notStarted(name, error);
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    process.once("close", (code, signal) => resolve({ code, signal }));
    process.once("error", (error) => reject(notStarted(name, error)));
  });
  exited.catch(() => undefined); // callers that wait get the failure
  // A write to a program that has ended reports the failure itself.
  process.stdin.on("error", () => undefined);
  return { process, exited, kill: () => kill(process) };
}

/**
 * Returns the failure to start.
 * If the arguments are too long for the system, it is permanent, and the fault of the message.
 */
function notStarted(name: string, error: unknown): GatewayError {
  const isTooLong = error instanceof Error && "code" in error && error.code === "E2BIG";
  if (isTooLong) return unfit("the arguments of the command are longer than the system takes");
  return new GatewayError(500, `The command \`${name}\` cannot be started`, { cause: error });
}

function kill({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return; // it was not started
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // the group has already ended
  }
}

/** Returns the environment of the gateway without its own credentials. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GW_/i.test(name)));
}

/** Describes how a program ended. */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit status ${code}` : `signal ${signal}`;
}

/** Largest size of a logged line, in bytes. */
const longestLine = 65_536;

/** Logs each line that a program writes to its standard error. */
export function logErrors({ process }: Child, log: Logger): void {
  const read = async () => {
    for await (const line of readLines(process.stderr, { max_buffer_size: longestLine, omit_empty: true }))
      log.warn("the command reports an error", { text: decodeUtf8(line) });
  };
  read().catch((error: unknown) => {
    log.warn("errors of the command cannot be read", { error: String(error) });
    process.stderr.resume();
  });
}

/**
 * Writes to the standard input of a program. Resolves once the system has accepted the data; rejects with 502 if the
 * program has ended.
 */
export function writeTo({ process, exited }: Child, content: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    exited.catch(reject);
    process.stdin.write(content, (error) => {
      if (error) reject(new GatewayError(502, "The command no longer reads its input", { cause: error }));
      else resolve();
    });
  });
}
