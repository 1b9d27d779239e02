import { freePort } from "../ports.ts";
import { findProgram, type Program } from "../processes.ts";

/** A running broker, started here or named in the environment. */
export interface Broker {
  /** The address in the form that the broker's clients accept. */
  readonly address: string;
  /** Stops the broker and resolves when it has exited; has no effect on a broker from the environment. */
  stop(): Promise<void>;
}

/** The port and the directory of a broker. Set both to restart a stopped broker with its data. */
export interface BrokerPlace {
  /** Defaults to a free port. */
  readonly port?: number;
  /** Defaults to a temporary directory. */
  readonly directory?: string;
}

/** The broker cannot run on this machine; the message says what is missing. */
export class BrokerUnavailable extends Error {}

/**
 * Returns the program's path. Throws {@link BrokerUnavailable} with the package that contains it if it is not
 * installed.
 */
export function requireProgram(name: string, source: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new BrokerUnavailable(`${name} is not installed (${source})`);
  return path;
}

/**
 * Starts a broker on the wanted port, or on a free one. Another program can take a free port before the broker does, so
 * starts on free ports are tried up to three times. `launch` resolves when the broker serves clients.
 */
export async function startOnPort(
  wanted: number | undefined,
  launch: (port: number) => Promise<Program>,
): Promise<{ port: number; program: Program }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted ?? (await freePort());
    try {
      return { port, program: await launch(port) };
    } catch (error) {
      if (wanted !== undefined || attempt === 3) throw error;
    }
  }
}

/**
 * Returns the program of a server when it is ready. Rejects if it ends first or is never ready; it is then stopped, so
 * that the next attempt gets its name and its files.
 */
export async function servingProgram(
  name: string,
  program: Program,
  ready: Promise<unknown>,
): Promise<Program> {
  const ended = program.ended.then((status) => {
    throw new Error(`it ended with ${status}`);
  });
  try {
    await Promise.race([ready, ended]);
    return program;
  } catch (error) {
    await program.stop("SIGKILL");
    const written = program.output().split("\n").slice(-20).join("\n");
    throw new Error(`${name} does not serve; it wrote last:\n${written}`, { cause: error });
  }
}
