import { freePort } from "../ports.ts";
import { findProgram, type Program } from "../processes.ts";

/** A broker that runs, started here or named in the environment. */
export interface Broker {
  /** What a client connects to, in the form the broker's clients take. */
  readonly address: string;
  /** Ends it and resolves when it is gone; does nothing to one that was named in the environment. */
  stop(): Promise<void>;
}

/** Where a broker listens and keeps its files: name both to bring a stopped one back as it was. */
export interface BrokerPlace {
  /** A free one unless given. */
  readonly port?: number;
  /** A temporary one unless given. */
  readonly directory?: string;
}

/** The broker cannot be had on this machine; the message says what is missing. */
export class BrokerUnavailable extends Error {}

/** The program's path, or a {@link BrokerUnavailable} that says which package has it. */
export function requireProgram(name: string, source: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new BrokerUnavailable(`${name} is not installed (${source})`);
  return path;
}

/**
 * Starts a broker on the wanted port, or on a free one. Another program can take a free port before the
 * broker does, so those starts are tried up to three times; `launch` resolves when clients are served.
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
