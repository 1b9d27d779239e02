// Nearest-name suggestions, for every "did you mean".

import { distance } from "fastest-levenshtein";

/**
 * The candidate nearest to `name`, if near enough to be what was meant: at most a third of its letters
 * differ (one letter is always allowed in names of three or more). Case counts for nothing. Ties go to
 * the first in `candidates`.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  const allowed = Math.max(name.length >= 3 ? 1 : 0, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of candidates) {
    const between = distance(name.toLowerCase(), candidate.toLowerCase());
    if (between < bestDistance) {
      best = candidate;
      bestDistance = between;
    }
  }
  return best;
}
