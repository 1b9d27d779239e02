// Why a server that a command asks cannot be reached, in words for people.

import { connectionFault } from "../compiler/embed/connections/connection-fault.ts";

/**
 * `https://host is unreachable (the host is unknown); correct the name, or add it to the name service`: what `fetch`, or the
 * reading of its answer, failed with. `patience` is the time in milliseconds that the answer had.
 */
export function unreachable(origin: string, error: unknown, patience: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${origin} is unreachable (no answer within ${patience / 1000} s); look whether it hangs or is overloaded`;
  const { reason, advice } = connectionFault(error);
  return `${origin} is unreachable (${reason})${advice === undefined ? "" : `; ${advice}`}`;
}
