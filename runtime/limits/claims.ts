// A caller and the API it calls in, what its request is counted by out.

import type { Claim, Counters, QuotaClaim, Seat, Standing } from "../counters.ts";
import type { KeyRateLimit, KeySession, Quota, SessionLimits } from "../keys/session.ts";
import type { GrantedRight } from "./granted-right.ts";

/** Whose claim it is: it names the claim in headers, and decides what a refusal says. */
export type ClaimName = "key" | "quota" | "api";

/** A claim with its name. */
export interface NamedClaim {
  readonly name: ClaimName;
  readonly claim: Claim;
}

/** What of it is passed over for an API. */
export interface Skipped {
  readonly rate: boolean;
  readonly quota: boolean;
}

/** The limits for endpoints, those of an API beside them and of all the key calls beside those. */
interface Level {
  readonly limits: SessionLimits;
  /** Under which name the session counts them. */
  readonly scope: string;
}

const microseconds = 1_000_000;

/**
 * What a session's request is counted by, which `granted` lets in. Of each kind the closest limit counts: that of the
 * endpoints, of the API, of the session. A request that may be for several endpoints is counted by the limits of all.
 */
export function sessionClaims(
  session: KeySession,
  granted: GrantedRight | undefined,
  endpoints: readonly string[],
  skipped: Skipped,
): readonly NamedClaim[] {
  const levels = levelsOf(session, granted, endpoints);
  const rates = levels.find((level) => level.some(({ limits }) => limits.rate !== undefined)) ?? [];
  const quotas = levels.find((level) => level.some(({ limits }) => limits.quota !== undefined)) ?? [];
  return [
    ...rates.flatMap(({ limits, scope }) =>
      limits.rate === undefined || skipped.rate
        ? []
        : rateClaims("key", `${session.id}/${scope}`, limits.rate),
    ),
    ...quotas.flatMap(({ limits, scope }) =>
      limits.quota === undefined || skipped.quota
        ? []
        : quotaClaims(`${quotaOwner(session)}/${scope}`, limits.quota),
    ),
  ];
}

/** Neither part has a slash in it. */
function quotaOwner({ id, quotaPeriod }: KeySession): string {
  return quotaPeriod === undefined ? id : `${id}.${quotaPeriod}`;
}

/** The claim of all requests to an API; none where any number may come. */
export function apiClaims(api: string, rate: KeyRateLimit): readonly NamedClaim[] {
  return rateClaims("api", api, rate);
}

/** The place of a request among all that an API has open. */
export function apiSeat(api: string, max: number): Seat {
  return { key: `open:api:${api}`, max };
}

/** Its places among those of its session: by what that says, and by what the API says of every key; 0 stands for any number. */
export function keySeats(
  session: KeySession,
  granted: GrantedRight | undefined,
  api: string,
  maxPerKey: number,
): readonly Seat[] {
  const ofRight = granted?.right.limits?.connections;
  const max = ofRight ?? session.limits.connections ?? 0;
  const scope = granted === undefined || ofRight === undefined ? "" : scopeOf(granted);
  return [
    ...(max > 0 ? [{ key: `open:key:${session.id}/${scope}`, max }] : []),
    ...(maxPerKey > 0 ? [{ key: `open:key:${session.id}/each/${api}`, max: maxPerKey }] : []),
  ];
}

/** The closest first. */
function levelsOf(
  session: KeySession,
  granted: GrantedRight | undefined,
  endpoints: readonly string[],
): readonly (readonly Level[])[] {
  const ofSession = [{ limits: session.limits, scope: "" }];
  if (granted === undefined) return [ofSession];
  const { api, right } = granted;
  const own = right.endpoints?.filter(({ name }) => endpoints.includes(name)) ?? [];
  return [
    own.map(({ limits, name }) => ({ limits, scope: `api:${encodeURIComponent(api)}/${name}` })),
    right.limits === undefined ? [] : [{ limits: right.limits, scope: scopeOf(granted) }],
    ofSession,
  ];
}

/** Names are made of anything: two different ones must not come out the same. */
function scopeOf({ api, right }: GrantedRight): string {
  return right.scope === undefined
    ? `api:${encodeURIComponent(api)}`
    : `scope:${encodeURIComponent(right.scope)}`;
}

/** The numbers belong to the key: what a bucket holds means nothing under others. */
function rateClaims(name: ClaimName, owner: string, { rate, per }: KeyRateLimit): readonly NamedClaim[] {
  if (rate <= 0 || per <= 0) return [];
  const key = `rate:${name}:${owner}:${rate}/${per}`;
  return [{ name, claim: { kind: "rate", key, rate, per: Math.round(per * microseconds) } }];
}

function quotaClaims(owner: string, { max, renewal }: Quota): readonly NamedClaim[] {
  if (max < 0) return [];
  const claim = {
    kind: "quota",
    key: `quota:${owner}`,
    max,
    renewal: Math.round(renewal * microseconds),
  } as const;
  return [{ name: "quota", claim }];
}

/** No request passes it. As claims are counted all or none, those beside it are looked at and not counted. */
const closed: QuotaClaim = { kind: "quota", key: "quota:closed", max: 0, renewal: 0 };

/** Claims that are looked at by one question, which other requests have to wait for. */
const atOnce = 500;

/** What is left of each of `claims`; nothing is counted. */
export async function standingsOf(
  counters: Counters,
  claims: readonly Claim[],
): Promise<readonly Standing[]> {
  const standings: Standing[] = [];
  for (let from = 0; from < claims.length; from += atOnce) {
    const some = claims.slice(from, from + atOnce);
    const verdict = await counters.take([...some, closed]);
    standings.push(...verdict.standings.slice(0, some.length));
  }
  return standings;
}
