// Runs `sluice` as a process and returns its output.

import { spawn } from "node:child_process";

/** The Node that runs `sluice`. */
export interface NodeProgram {
  readonly command: string;
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The output and the exit status of a process. */
export interface Printed {
  /** The exit status; `null` if the process was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a process. */
export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the Node of the setting, otherwise that of the editor, which is recent enough in all supported versions. */
export function nodeProgram(configured: string): NodeProgram {
  if (configured !== "") return { command: configured, env: {} };
  return { command: process.execPath, env: { ELECTRON_RUN_AS_NODE: "1" } };
}

/** Maximum size of a process's output. */
const mostOutput = 64 * 1024 * 1024;

/** Runs a program to its end. Rejects if it cannot be started or prints too much. */
export function runProcess(command: string, args: readonly string[], options: RunOptions): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: "pipe",
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const parts: Record<"stdout" | "stderr", string[]> = { stdout: [], stderr: [] };
    let length = 0;
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        length += text.length;
        if (length <= mostOutput) parts[name].push(text);
        else child.kill();
      });
    }
    // A process that exits early closes its input; its status explains why.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.once("error", reject);
    child.once("close", (status) => {
      if (length > mostOutput) reject(new Error(`${command} printed more than ${mostOutput} characters`));
      else resolve({ status, stdout: parts.stdout.join(""), stderr: parts.stderr.join("") });
    });
  });
}
