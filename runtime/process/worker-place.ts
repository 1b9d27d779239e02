// The number of a process among the workers of a gateway, and how many there are.

/** The environment variables in which the primary passes a worker its number and socket. */
export const workerVariables = { number: "GW_WORKER", socket: "GW_WORKER_SOCKET" } as const;

/** One of several processes that serve a gateway together. */
export interface WorkerPlace {
  /** Counted from 0; the first worker runs the tasks that run only once. */
  readonly number: number;
  /** The path of the local socket at which the first worker accepts requests that the others pass on. */
  readonly socket: string;
}

/** Returns the place that the primary assigned to this process; `undefined` if it serves alone. */
export function readWorkerPlace(): WorkerPlace | undefined {
  const number = Number(process.env[workerVariables.number] ?? Number.NaN);
  const socket = process.env[workerVariables.socket];
  return Number.isInteger(number) && socket !== undefined ? { number, socket } : undefined;
}

/**
 * Returns the number of worker processes, for code that runs before the settings are read and checked: 1 if the variable is
 * not a number above 1.
 */
export function readWorkerCount(variables: NodeJS.ProcessEnv = process.env): number {
  const count = Number(variables.GW_WORKERS);
  return count > 1 ? count : 1;
}

/**
 * Returns a suffix that distinguishes this worker's names from those of the others: empty for the first worker and
 * for a process that serves alone, so that a name at a broker stays as the document defines it.
 */
export function workerSuffix(): string {
  const number = readWorkerPlace()?.number ?? 0;
  return number === 0 ? "" : `-${number}`;
}
