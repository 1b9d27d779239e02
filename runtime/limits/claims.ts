// Determines the limits that count a request, from its caller and its API.

import type { Claim, Counters, QuotaClaim, RateClaim, Seat, Standing } from "../counters.ts";
import type { KeyRateLimit, KeySession, Quota, SessionLimits } from "../keys/session.ts";
import type { GrantedRight } from "./granted-right.ts";

/** The kind of a limit: its name in headers; it also decides the text of a refusal. */
export type LimitName = "key" | "quota" | "api";

/** The rate or the quota of a claim, without the caller that it counts. */
export type Allowance = Omit<RateClaim, "key"> | Omit<QuotaClaim, "key">;

/** A limit of the requests of each caller. */
export interface CallerLimit {
  readonly name: LimitName;
  readonly grant: Allowance;
  /** What follows the caller in the key of its counter. */
  readonly scope: string;
}

/** The limits that an API ignores. */
export interface Skipped {
  readonly rate: boolean;
  readonly quota: boolean;
}

/** One level of limits: those of endpoints, of an API, or of all requests of the key. */
interface Level {
  readonly limits: SessionLimits;
  /** The name under which the session counts them. */
  readonly scope: string;
}

const microseconds = 1_000_000;

/**
 * Returns the limits of the requests of a session with these limits; `granted`: the right that admits them. For each
 * kind, the most specific limit counts: that of the endpoints, of the API, or of the session. A request that may be for
 * several endpoints is counted by the limits of all of them.
 */
export function callerLimits(
  limits: SessionLimits,
  granted: GrantedRight | undefined,
  endpoints: readonly string[],
  skipped: Skipped,
): readonly CallerLimit[] {
  const levels = levelsOf(limits, granted, endpoints);
  const rates = levels.find((level) => level.some(({ limits }) => limits.rate !== undefined)) ?? [];
  const quotas = levels.find((level) => level.some(({ limits }) => limits.quota !== undefined)) ?? [];
  return [
    ...rates.flatMap(({ limits, scope }) => {
      if (limits.rate === undefined || skipped.rate) return [];
      const grant = rateGrant(limits.rate);
      return grant === undefined
        ? []
        : [{ name: "key", grant, scope: scope + numbersOf(limits.rate) } as const];
    }),
    ...quotas.flatMap(({ limits, scope }) => {
      if (limits.quota === undefined || skipped.quota) return [];
      const grant = quotaGrant(limits.quota);
      return grant === undefined ? [] : [{ name: "quota", grant, scope } as const];
    }),
  ];
}

/** Returns the claim of a caller's request by one of its limits. */
export function claimOf({ grant, scope }: CallerLimit, session: KeySession): Claim {
  if (grant.kind === "quota") {
    const { max, renewal } = grant;
    return { kind: "quota", key: `quota:${quotaOwner(session)}/${scope}`, max, renewal };
  }
  return { kind: "rate", key: `rate:key:${session.id}/${scope}`, rate: grant.rate, per: grant.per };
}

/** Returns the owner of a quota; neither part contains a slash. */
function quotaOwner({ id, quotaPeriod }: KeySession): string {
  return quotaPeriod === undefined ? id : `${id}.${quotaPeriod}`;
}

/** Returns the claim of all requests to an API; none if their number is not limited. */
export function apiClaims(api: string, rate: KeyRateLimit): readonly Claim[] {
  const grant = rateGrant(rate);
  return grant === undefined ? [] : [{ ...grant, key: `rate:api:${api}${numbersOf(rate)}` }];
}

/** Returns the seat that limits all connections of an API. */
export function apiSeat(api: string, max: number): Seat {
  return { key: `open:api:${api}`, max };
}

/**
 * Returns the seats of a key's connection: by the session's limit, and by the API's limit per key; 0 means no limit.
 */
export function keySeats(
  session: KeySession,
  granted: GrantedRight | undefined,
  api: string,
  maxPerKey: number,
): readonly Seat[] {
  const ofRight = granted?.right.limits?.connections;
  const max = ofRight ?? session.limits.connections ?? 0;
  if (max <= 0 && maxPerKey <= 0) return [];
  const scope = granted === undefined || ofRight === undefined ? "" : scopeOf(granted);
  return [
    ...(max > 0 ? [{ key: `open:key:${session.id}/${scope}`, max }] : []),
    ...(maxPerKey > 0 ? [{ key: `open:key:${session.id}/each/${api}`, max: maxPerKey }] : []),
  ];
}

/** Returns the levels, the most specific first. */
function levelsOf(
  limits: SessionLimits,
  granted: GrantedRight | undefined,
  endpoints: readonly string[],
): readonly (readonly Level[])[] {
  const ofSession = [{ limits, scope: "" }];
  if (granted === undefined) return [ofSession];
  const { api, right } = granted;
  const own = right.endpoints?.filter(({ name }) => endpoints.includes(name)) ?? [];
  return [
    own.map(({ limits, name }) => ({ limits, scope: `api:${encodeURIComponent(api)}/${name}` })),
    right.limits === undefined ? [] : [{ limits: right.limits, scope: scopeOf(granted) }],
    ofSession,
  ];
}

/** Names may contain any character: they are encoded so that different names stay different. */
function scopeOf({ api, right }: GrantedRight): string {
  return right.scope === undefined
    ? `api:${encodeURIComponent(api)}`
    : `scope:${encodeURIComponent(right.scope)}`;
}

function rateGrant({ rate, per }: KeyRateLimit): Omit<RateClaim, "key"> | undefined {
  if (rate <= 0 || per <= 0) return undefined;
  return { kind: "rate", rate, per: Math.round(per * microseconds) };
}

/** Returns the numbers of a rate as a part of a key: a bucket's level is meaningless under other numbers. */
function numbersOf({ rate, per }: KeyRateLimit): string {
  return `:${rate}/${per}`;
}

function quotaGrant({ max, renewal }: Quota): Omit<QuotaClaim, "key"> | undefined {
  return max < 0 ? undefined : { kind: "quota", max, renewal: Math.round(renewal * microseconds) };
}

/** A claim that admits no request. Claims are counted all or none, so the others are read without being counted. */
const closed: QuotaClaim = { kind: "quota", key: "quota:closed", max: 0, renewal: 0 };

/** The most claims in one query, as other requests wait for it. */
const atOnce = 500;

/** Returns the standing of each of `claims` without counting. */
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
