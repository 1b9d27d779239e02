// Programs that a document names and `allow_unsafe` allows: started without a shell, ended with all they have started.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { GatewayError } from "../../errors.ts";
import { unfit } from "../../grammar/computed-text.ts";
import { readLines } from "../../message/lines.ts";
import type { Logger } from "../../process/log.ts";
import { decodeUtf8 } from "../../text/utf8.ts";

/** A program and its arguments, which reach it as they are. */
interface ProgramOptions {
  readonly name: string;
  readonly args?: readonly string[];
}

/** A program that runs. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** How it ended; rejects where it could not be started. */
  readonly exited: Promise<Exit>;
  /** Ends it at once, with the processes it has started. Safe to call twice. */
  kill(): void;
}

/** The exit code, or the signal that ended a program. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts a program. Throws 422 for arguments that no program can have, and 500 where the system refuses. */
export function startProgram({ name, args = [] }: ProgramOptions): Child {
  if (args.some((arg) => arg.includes("\0"))) throw unfit("an argument of the command holds a zero byte");
  let process: ChildProcessWithoutNullStreams;
  try {
    // A group of its own, so that it can be ended as a whole.
    process = spawn(name, args, { env: environment(), shell: false, detached: true, windowsHide: true });
  } catch (error) {
    throw notStarted(name, error);
  }
  const exited = new Promise<Exit>((resolve, reject) => {
    process.once("close", (code, signal) => resolve({ code, signal }));
    process.once("error", (error) => reject(notStarted(name, error)));
  });
  exited.catch(() => undefined); // callers that wait get the failure
  // What is written to a program that has ended is reported by the write itself.
  process.stdin.on("error", () => undefined);
  return { process, exited, kill: () => kill(process) };
}

/** Arguments that are longer than the system takes are the message's own failure, which no attempt can change. */
function notStarted(name: string, error: unknown): GatewayError {
  const isTooLong = error instanceof Error && "code" in error && error.code === "E2BIG";
  if (isTooLong) return unfit("the arguments of the command are longer than the system takes");
  return new GatewayError(500, `The command \`${name}\` cannot be started`, { cause: error });
}

function kill({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined || (exitCode !== null && signalCode !== null)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // the group has ended
  }
}

/** That of the gateway without its own credentials. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GW_/i.test(name)));
}

/** What went wrong with a program that ended, in words. */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit status ${code}` : `signal ${signal}`;
}

/** Bytes of a line that is logged. */
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

/** Writes to the standard input of a program. Resolves once the system has taken it; rejects with 502 where the program has ended. */
export function writeTo({ process, exited }: Child, content: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    exited.catch(reject);
    process.stdin.write(content, (error) => {
      if (error) reject(new GatewayError(502, "The command does not read any more", { cause: error }));
      else resolve();
    });
  });
}
