// Reads what is left of a caller's limits from the counters, without counting.

import type { Claim, Standing } from "../counters.ts";
import type { KeySession } from "../keys/session.ts";
import type { KeyUsageSource, LimitUsage } from "../portal/page/key-usage.ts";
import { callerLimits, claimOf, standingsOf } from "./claims.ts";
import type { GrantedRight } from "./granted-right.ts";
import { scopedCounters } from "./memory-counters.ts";

const microseconds = 1_000_000;
const nothing = { rate: false, quota: false } as const;

/** A claim of a caller, with its scope. */
interface ScopedClaim {
  readonly scope: string;
  readonly claim: Claim;
}

/** Reads the limits of a caller, and those of its rights with own limits, from the counters of the gateway. */
export const keyUsage: KeyUsageSource =
  ({ gateway, counters = gateway.get(scopedCounters) }) =>
  async (session) => {
    const claims = claimsOf(session);
    const standings = await standingsOf(
      counters,
      claims.map(({ claim }) => claim),
    );
    return claims.flatMap(({ scope, claim }, position) => {
      const standing = standings[position];
      return standing === undefined ? [] : [describe(scope, claim, standing)];
    });
  };

/** Returns the claims of a session; a limit that several rights share appears once. */
function claimsOf(session: KeySession): readonly ScopedClaim[] {
  const claimsBy = (scope: string, granted?: GrantedRight) =>
    callerLimits(session.limits, granted, [], nothing).map((limit) => ({
      scope,
      claim: claimOf(limit, session),
    }));
  const ofSession = claimsBy("");
  const ofRights = [...(session.rights ?? [])].flatMap(([api, right]) =>
    right.limits === undefined ? [] : claimsBy(right.scope ?? api, { api, right }),
  );
  const byKey = new Map([...ofRights, ...ofSession].map((each) => [each.claim.key, each]));
  return [...byKey.values()];
}

function describe(scope: string, claim: Claim, { remaining, reset }: Standing): LimitUsage {
  const seconds = reset / microseconds;
  return {
    kind: claim.kind,
    scope,
    max: claim.kind === "rate" ? claim.rate : claim.max,
    period: (claim.kind === "rate" ? claim.per : claim.renewal) / microseconds,
    left: remaining,
    renews_in: Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : -1,
  };
}
