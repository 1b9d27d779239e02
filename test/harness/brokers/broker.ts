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
