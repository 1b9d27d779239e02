// Signatures that came in, for as long as they would hold.

/** Refuses what comes a second time. */
export interface SeenSignatures {
  /** Whether the signature is new; then it is remembered until `until`, by `Date.now()`. */
  admit(signature: string, until: number): "new" | "seen" | "full";
}

/** Signatures remembered at once. */
const most = 100_000;

/** A memory of this process; where it is full it says so rather than forget. */
export function createSeenSignatures(limit: number = most): SeenSignatures {
  const ends = new Map<string, number>();
  return {
    admit(signature, until) {
      if (ends.has(signature)) return "seen";
      if (ends.size >= limit) forget(ends, Date.now());
      if (ends.size >= limit) return "full";
      ends.set(signature, until);
      return "new";
    },
  };
}

function forget(ends: Map<string, number>, now: number): void {
  for (const [signature, end] of ends) if (end < now) ends.delete(signature);
}
