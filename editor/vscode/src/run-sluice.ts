// Starts `sluice` as a process: with which Node, and what it printed.

import { spawn } from "node:child_process";

/** The Node that runs `sluice`. */
export interface NodeProgram {
  readonly command: string;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a process printed, and how it ended. */
export interface Printed {
  /** The exit status; `null` when it was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process is run. */
export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
  /** Kills the process. */
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

/** The Node of the setting, else that of the editor itself, which is new enough in all versions that the extension is for. */
export function nodeProgram(configured: string): NodeProgram {
  if (configured !== "") return { command: configured, env: {} };
  return { command: process.execPath, env: { ELECTRON_RUN_AS_NODE: "1" } };
}

/** Most of what a process prints that is kept. */
const mostOutput = 64 * 1024 * 1024;

/** Runs a program to its end. Rejects when it cannot be started or prints too much. */
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
    // A process that ends early closes its input; its status says why.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.once("error", reject);
    child.once("close", (status) => {
      if (length > mostOutput) reject(new Error(`${command} printed more than ${mostOutput} characters`));
      else resolve({ status, stdout: parts.stdout.join(""), stderr: parts.stderr.join("") });
    });
  });
}
