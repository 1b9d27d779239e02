// What a process is among the workers of a gateway.

/** Variables by which the primary tells a worker what it is. */
export const workerVariables = { number: "GW_WORKER", socket: "GW_WORKER_SOCKET" } as const;

/** One of several processes that serve a gateway together. */
export interface WorkerPlace {
  /** Counted from 0; the first runs what runs once. */
  readonly number: number;
  /** Path of the local socket at which the first worker takes what others pass on. */
  readonly socket: string;
}

/** What the primary has made of this process; `undefined` when it serves alone. */
export function readWorkerPlace(variables: NodeJS.ProcessEnv = process.env): WorkerPlace | undefined {
  const number = Number(variables[workerVariables.number] ?? Number.NaN);
  const socket = variables[workerVariables.socket];
  return Number.isInteger(number) && socket !== undefined ? { number, socket } : undefined;
}

/**
 * What tells this worker's names apart from those of the others: empty in the first one and in a process that serves
 * alone, so that a name which a broker knows stays what the document says.
 */
export function workerSuffix(): string {
  const number = readWorkerPlace()?.number ?? 0;
  return number === 0 ? "" : `-${number}`;
}
