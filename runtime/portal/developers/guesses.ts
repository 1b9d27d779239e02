// How often somebody may guess the password of one developer.

import { hash } from "node:crypto";
import { GatewayError } from "../../errors.ts";

/** Wrong passwords in a row for one address, and milliseconds until it may be tried anew. */
const mostWrong = 10;
const period = 15 * 60_000;
/** Addresses remembered; beyond that, the one that was tried longest ago is forgotten. */
const mostAddresses = 10_000;

/** Counts passwords that are tried, by organisation and address, whether anybody has that address or not. */
export interface Guesses {
  /**
   * Counts one more before it is verified, so that many at once are no way round it. An error (429) where it is one too
   * many: then it is not to be verified, were it right or not.
   */
  begin(organisation: string, address: string): GatewayError | undefined;
  /** It was right. */
  forget(organisation: string, address: string): void;
}

interface Count {
  readonly since: number;
  wrong: number;
}

/** Guesses of this process; `now` gives milliseconds. */
export function createGuesses(now: () => number = () => performance.now()): Guesses {
  const counts = new Map<string, Count>();
  return {
    begin(organisation, address) {
      const name = nameOf(organisation, address);
      const known = counts.get(name);
      const time = now();
      const count = known !== undefined && known.since + period > time ? known : { since: time, wrong: 0 };
      if (count.wrong >= mostWrong) {
        const retryAfter = Math.ceil((count.since + period - time) / 1000);
        return new GatewayError(429, "Too many attempts.", { retryAfter, reason: "too_many_logins" });
      }
      count.wrong += 1;
      counts.delete(name); // so that it is the youngest
      counts.set(name, count);
      const [oldest] = counts.keys();
      if (counts.size > mostAddresses && oldest !== undefined) counts.delete(oldest);
      return undefined;
    },
    forget(organisation, address) {
      counts.delete(nameOf(organisation, address));
    },
  };
}

/** Of one length: addresses are sent by anybody, as long as they like. */
function nameOf(organisation: string, address: string): string {
  return hash("sha256", JSON.stringify([organisation, address.toLowerCase()]), "base64");
}
