// Why a server that a command asks cannot be reached, in words for people.

/**
 * `https://host is unreachable (ECONNREFUSED)`: what `fetch`, or the reading of its answer, failed with. `patience` is the
 * time in milliseconds that the answer had.
 */
export function unreachable(origin: string, error: unknown, patience: number): string {
  return `${origin} is unreachable (${reasonOf(error, patience)})`;
}

function reasonOf(error: unknown, patience: number): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${patience / 1000} s`;
  const { cause = error } = error instanceof Error ? error : {};
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}
