// What clients are told of their limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).

import type { Claim, Standing } from "../counters.ts";
import type { NamedClaim } from "./claims.ts";

const microseconds = 1_000_000;
/** The largest integer of structured fields (RFC 9651, 3.3.1). */
const largest = 999_999_999_999_999;

/** `"key";q=10;w=60, "quota";q=1000;w=86400`: what is granted in how many seconds. */
export function printPolicy(claims: readonly NamedClaim[]): string {
  return claims.map(({ name, claim }) => `"${name}"${printGrant(claim)}`).join(", ");
}

/** `"key";r=9;t=6`: what is left, and the seconds until all of it is there again. */
export function printStandings(claims: readonly NamedClaim[], standings: readonly Standing[]): string {
  let text = "";
  for (let position = 0; position < claims.length; position += 1) {
    const standing = standings[position];
    if (standing === undefined) continue;
    if (position > 0) text += ", ";
    text += `"${claims[position]?.name}";r=${Math.min(standing.remaining, largest)}`;
    if (Number.isFinite(standing.reset)) text += `;t=${Math.ceil(standing.reset / microseconds)}`;
  }
  return text;
}

/** Both are whole in the draft: what is not is rounded to the side on which clients do not run into the limit. */
function printGrant(claim: Claim): string {
  const [granted, period] =
    claim.kind === "rate" ? [Math.max(1, Math.floor(claim.rate)), claim.per] : [claim.max, claim.renewal];
  const quantity = `;q=${Math.min(granted, largest)}`;
  return period === 0 ? quantity : `${quantity};w=${Math.ceil(period / microseconds)}`;
}
