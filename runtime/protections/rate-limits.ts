// Limits how often an API may be called, by all callers together and by each key: rates and quotas.

import type { Claim, Counters, QuotaClaim, RateVerdict, Standing } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import type { Call, CallQuotas, StepResult } from "../http/call.ts";
import { addToAnswer } from "../http/gateway-messages.ts";
import { createOperationTable, type FindOperations } from "../http/incoming/operation-table.ts";
import type { AccessRight, EndpointLimit, KeySession, SessionLimits } from "../keys/session.ts";
import {
  type Allowance,
  apiClaims,
  type CallerLimit,
  callerLimits,
  claimOf,
  type LimitName,
  type Skipped,
  standingsOf,
} from "../limits/claims.ts";
import { findGrantedRight, type GrantedRight } from "../limits/granted-right.ts";
import { scopedCounters } from "../limits/memory-counters.ts";
import type { Protection } from "../protection.ts";

/** The limits in a document. */
export interface RateLimitOptions {
  /** `upstream.rateLimit`; `per` in milliseconds. */
  readonly rateLimit?: { readonly enabled?: boolean; readonly rate?: number; readonly per?: number };
  /** Ignores rates of keys and of the API. */
  readonly skipRateLimit?: boolean;
  /** Ignores quotas. */
  readonly skipQuota?: boolean;
}

/** The limits of a kind of requests, the same for all callers with the same limits. */
interface Prepared {
  /** Those of each caller; those of the API follow. */
  readonly limits: readonly CallerLimit[];
  readonly names: readonly LimitName[];
  readonly policy: string;
  readonly hasQuotas: boolean;
  /** The claims of the last caller, since requests of a caller often follow each other. */
  last: { readonly session: KeySession; readonly claims: readonly Claim[] } | undefined;
}

const milliseconds = 1000;
const microseconds = 1_000_000;

/**
 * Counts each request against the rate and quota of its session and the rate of the API: against all of them or none.
 * Over a rate it responds 429, over a quota 403; every response reports what is left. Ends a caller's open
 * connections when its quota is used up.
 */
export function rateLimits({
  rateLimit = {},
  skipRateLimit = false,
  skipQuota = false,
}: RateLimitOptions = {}): Protection {
  const skipped: Skipped = { rate: skipRateLimit, quota: skipQuota };
  return {
    place: "rate-limit",
    start({ api, gateway, counters = gateway.get(scopedCounters) }) {
      const { enabled = true, rate = 0, per = 0 } = rateLimit;
      const limit = { rate: enabled && !skipRateLimit ? rate : 0, per: per / milliseconds };
      const ofApi = apiClaims(api, limit);
      const ofAnyCaller = prepare([], ofApi);
      const known = new WeakMap<SessionLimits, WeakMap<AccessRight, Map<string, Prepared>>>();

      /**
       * Returns the limits of a request. They never change, so they are cached; by limits and right instead of by
       * session, because a gateway may have many callers with the same policies.
       */
      function preparedFor(call: Call, session: KeySession | undefined): Prepared {
        if (session === undefined) return ofAnyCaller;
        const { limits } = session;
        const granted = findGrantedRight(session, api, call.api?.version);
        const endpoints = granted === undefined ? none : findEndpoints(granted, call);
        // Names of endpoints that requests match contain no line break, so different lists have different keys.
        const own = granted?.api ?? "";
        const kind = endpoints.length === 0 ? own : [own, ...endpoints].join("\n");
        const ofLimits = known.get(limits) ?? new WeakMap<AccessRight, Map<string, Prepared>>();
        const ofRight = ofLimits.get(granted?.right ?? noRight) ?? new Map<string, Prepared>();
        const present = ofRight.get(kind);
        if (present !== undefined) return present;
        const prepared = prepare(callerLimits(limits, granted, endpoints, skipped), ofApi);
        known.set(limits, ofLimits.set(granted?.right ?? noRight, ofRight.set(kind, prepared)));
        return prepared;
      }

      function claimsOf(prepared: Prepared, session: KeySession | undefined): readonly Claim[] {
        const { limits, last } = prepared;
        if (session === undefined || limits.length === 0) return ofApi;
        if (last?.session === session) return last.claims;
        const claims: Claim[] = [];
        for (const limit of limits) claims.push(claimOf(limit, session));
        for (const claim of ofApi) claims.push(claim);
        prepared.last = { session, claims };
        return claims;
      }

      const quotas = watchedQuotas(counters, (call) => {
        const session = call.right?.caller.session;
        const prepared = preparedFor(call, session);
        return prepared.hasQuotas ? claimsOf(prepared, session).filter(isQuota) : none;
      });

      return {
        check(call) {
          const session = call.caller?.session;
          const prepared = preparedFor(call, session);
          if (call.right !== undefined) call.right.quotas = quotas;
          if (prepared.names.length === 0) return "next";
          const claims = claimsOf(prepared, session);
          const verdict = counters.take(claims);
          return verdict instanceof Promise
            ? verdict.then((settled) => answer(call, prepared, claims, settled))
            : answer(call, prepared, claims, verdict);
        },
      };
    },
  };
}

/** In place of the right of a caller without one. */
const noRight: AccessRight = {};

function prepare(limits: readonly CallerLimit[], ofApi: readonly Claim[]): Prepared {
  const all: readonly Named[] = [...limits, ...ofApi.map((grant) => ({ name: "api", grant }) as const)];
  return {
    limits,
    names: all.map(({ name }) => name),
    policy: printPolicy(all),
    hasQuotas: limits.some(({ grant }) => grant.kind === "quota"),
    last: undefined,
  };
}

function isQuota(claim: Claim): claim is QuotaClaim {
  return claim.kind === "quota";
}

/** Calls that used the last request of a quota, and until when: they were granted, so that quota does not end them. */
const lastRequests = /* @__PURE__ */ new WeakMap<Call, ReadonlyMap<string, number>>();

/** Returns the quotas of open calls; `quotasOf`: returns the quotas of one call. */
function watchedQuotas(counters: Counters, quotasOf: (call: Call) => readonly QuotaClaim[]): CallQuotas {
  return {
    isCounted: (call) => quotasOf(call).length > 0,
    async findUsedUp(calls) {
      const ofCalls = calls.map(quotasOf);
      const claims = [...new Map(ofCalls.flat().map((claim) => [claim.key, claim])).values()];
      const standings = await standingsOf(counters, claims);
      const usedUp = new Map<string, Standing>();
      for (const [position, { key }] of claims.entries()) {
        const standing = standings[position];
        if (standing?.remaining === 0) usedUp.set(key, standing);
      }
      const now = performance.now();
      return calls.map((call, position) => {
        const isOver = ({ key }: QuotaClaim) =>
          usedUp.has(key) && (lastRequests.get(call)?.get(key) ?? 0) <= now;
        const standing = usedUp.get(ofCalls[position]?.find(isOver)?.key ?? "");
        return standing && refusal("quota", standing.reset, {});
      });
    },
  };
}

/** Records the quotas that counted a call, and whether it used the last request of one of them. */
function noteQuotas(call: Call, claims: readonly Claim[], standings: readonly Standing[]): void {
  call.right?.watchQuotas();
  const last = claims.flatMap(({ kind, key }, position): readonly [string, number][] => {
    const standing = standings[position];
    if (kind !== "quota" || standing?.remaining !== 0) return [];
    return [[key, performance.now() + standing.reset / milliseconds]];
  });
  if (last.length > 0) lastRequests.set(call, new Map(last));
}

const none: readonly never[] = [];

/** Tables of endpoints; rights never change, so they are cached. */
const tables = /* @__PURE__ */ new WeakMap<AccessRight, FindOperations<EndpointLimit>>();

/** Returns the names of all endpoints that a request may be for. */
function findEndpoints({ right }: GrantedRight, { api, verb }: Call): readonly string[] {
  if (right.endpoints === undefined || api === undefined) return none;
  const find = tables.get(right) ?? createOperationTable(right.endpoints);
  tables.set(right, find);
  const { own, alike } = find(verb, api);
  return [...(own === undefined ? [] : [own]), ...alike].map(({ operation }) => operation.name);
}

function answer(
  call: Call,
  { names, policy, hasQuotas }: Prepared,
  claims: readonly Claim[],
  verdict: RateVerdict,
): StepResult {
  const { refusedBy, standings } = verdict;
  const printed = printStandings(names, standings);
  // An index of -1 would be looked up as a name, which is slow.
  const refused = refusedBy === -1 ? undefined : names[refusedBy];
  const headers = { "ratelimit-policy": policy, ratelimit: printed };
  if (refused !== undefined) return refusal(refused, verdict.wait, headers);
  if (hasQuotas) noteQuotas(call, claims, standings);
  if (call.transport.kind === "http") addToAnswer(call.transport.response, headers);
  return "next";
}

const texts = {
  key: { status: 429, text: "Rate Limit Exceeded", reason: "key_rate" },
  api: { status: 429, text: "API Rate Limit Exceeded", reason: "api_rate" },
  quota: { status: 403, text: "Quota exceeded", reason: "quota" },
} as const;

function refusal(name: LimitName, wait: number, headers: Readonly<Record<string, string>>): GatewayError {
  const { status, text, reason } = texts[name];
  // A quota that is never renewed has no time to retry.
  const retry = Number.isFinite(wait) ? { retryAfter: Math.ceil(wait / microseconds) } : {};
  return new GatewayError(status, text, { headers, reason, ...retry });
}

// The headers that report limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).

/** The largest integer of structured fields (RFC 9651, section 3.3.1). */
const largest = 999_999_999_999_999;

/** A limit with its name. */
interface Named {
  readonly name: LimitName;
  readonly grant: Allowance;
}

/** Returns `"key";q=10;w=60, "quota";q=1000;w=86400`: the grants, with their periods in seconds. */
function printPolicy(limits: readonly Named[]): string {
  return limits.map(({ name, grant }) => `"${name}"${printGrant(grant)}`).join(", ");
}

/** Returns `"key";r=9;t=6`: what is left, and the seconds until the full grant is available again. */
function printStandings(names: readonly LimitName[], standings: readonly Standing[]): string {
  let text = "";
  for (let position = 0; position < names.length; position += 1) {
    const standing = standings[position];
    if (standing === undefined) continue;
    if (position > 0) text += ", ";
    text += `"${names[position]}";r=${Math.min(standing.remaining, largest)}`;
    if (Number.isFinite(standing.reset)) text += `;t=${Math.ceil(standing.reset / microseconds)}`;
  }
  return text;
}

/**
 * Returns the grant and its period as integers, as the draft requires; rounded so that clients stay within the limit.
 */
function printGrant(grant: Allowance): string {
  const [granted, period] =
    grant.kind === "rate" ? [Math.max(1, Math.floor(grant.rate)), grant.per] : [grant.max, grant.renewal];
  const quantity = `;q=${Math.min(granted, largest)}`;
  return period === 0 ? quantity : `${quantity};w=${Math.ceil(period / microseconds)}`;
}
