// How often an API may be called, by all callers together and by each key: rates and quotas.

import type { Claim, Counters, QuotaClaim, RateVerdict, Standing } from "../counters.ts";
import { GatewayError } from "../errors.ts";
import type { Call, CallQuotas, StepResult } from "../http/call.ts";
import { tellInAnswer } from "../http/gateway-messages.ts";
import { createOperationTable, type FindOperations } from "../http/incoming/operation-table.ts";
import type { AccessRight, EndpointLimit, KeySession } from "../keys/session.ts";
import { apiClaims, type NamedClaim, type Skipped, sessionClaims, standingsOf } from "../limits/claims.ts";
import { findGrantedRight, type GrantedRight } from "../limits/granted-right.ts";
import { scopedCounters } from "../limits/memory-counters.ts";
import type { Protection } from "../protection.ts";

/** What a document says of its limits. */
export interface RateLimitOptions {
  /** `upstream.rateLimit`; `per` in milliseconds. */
  readonly rateLimit?: { readonly enabled?: boolean; readonly rate?: number; readonly per?: number };
  /** Passes over rates, of keys and of the API. */
  readonly skipRateLimit?: boolean;
  /** Passes over quotas. */
  readonly skipQuota?: boolean;
}

/** Claims that are the same for every request of a kind, with the answer's headers for them. */
interface Prepared {
  readonly named: readonly NamedClaim[];
  readonly claims: readonly NamedClaim["claim"][];
  readonly policy: string;
  readonly quotas: readonly QuotaClaim[];
}

const milliseconds = 1000;
const microseconds = 1_000_000;

/**
 * Counts each request by the rate and quota of its session and by the rate of the API, by all or by none. Over a rate it
 * is 429, over a quota 403; every answer says what is left. A quota that is used up ends what its caller has open.
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
      const ofAnyCaller = prepare(ofApi);
      const ofSessions = new WeakMap<KeySession, Map<string, Prepared>>();

      /** Sessions never change, so that what is made of one holds as long as it does. */
      function preparedFor(call: Call, session: KeySession | undefined): Prepared {
        if (session === undefined) return ofAnyCaller;
        const granted = findGrantedRight(session, api, call.api?.version);
        const endpoints = granted === undefined ? none : findEndpoints(granted, call);
        // Endpoints that requests match have no line break in their names, so that no two lists are written alike.
        const own = granted?.api ?? "";
        const kind = endpoints.length === 0 ? own : [own, ...endpoints].join("\n");
        const known = ofSessions.get(session) ?? new Map<string, Prepared>();
        const present = known.get(kind);
        if (present !== undefined) return present;
        const prepared = prepare([...sessionClaims(session, granted, endpoints, skipped), ...ofApi]);
        ofSessions.set(session, known.set(kind, prepared));
        return prepared;
      }

      const quotasOf = (call: Call) => preparedFor(call, call.right?.caller.session).quotas;
      const quotas = watchedQuotas(counters, quotasOf);

      return {
        check(call) {
          const prepared = preparedFor(call, call.caller?.session);
          if (call.right !== undefined) call.right.quotas = quotas;
          if (prepared.claims.length === 0) return "next";
          const verdict = counters.take(prepared.claims);
          return verdict instanceof Promise
            ? verdict.then((settled) => answer(call, prepared, settled))
            : answer(call, prepared, verdict);
        },
      };
    },
  };
}

function prepare(named: readonly NamedClaim[]): Prepared {
  const claims = named.map(({ claim }) => claim);
  const quotas = claims.filter((claim) => claim.kind === "quota");
  return { named, claims, policy: printPolicy(named), quotas };
}

/** Calls that took the last request of a quota, and until when: it was granted, so the same quota does not end them. */
const lastRequests = /* @__PURE__ */ new WeakMap<Call, ReadonlyMap<string, number>>();

/** The quotas of open calls, which `quotasOf` names. */
function watchedQuotas(counters: Counters, quotasOf: (call: Call) => readonly QuotaClaim[]): CallQuotas {
  return {
    isCounted: (call) => quotasOf(call).length > 0,
    async findUsedUp(calls) {
      const claims = [...new Map(calls.flatMap(quotasOf).map((claim) => [claim.key, claim])).values()];
      const standings = await standingsOf(counters, claims);
      const usedUp = new Map<string, Standing>();
      for (const [position, { key }] of claims.entries()) {
        const standing = standings[position];
        if (standing?.remaining === 0) usedUp.set(key, standing);
      }
      const now = performance.now();
      return calls.map((call) => {
        const isOver = ({ key }: QuotaClaim) =>
          usedUp.has(key) && (lastRequests.get(call)?.get(key) ?? 0) <= now;
        const standing = usedUp.get(quotasOf(call).find(isOver)?.key ?? "");
        return standing && refusal("quota", standing.reset, {});
      });
    },
  };
}

/** Notes what quotas counted a call, and whether it was the last that one of them grants. */
function noteQuotas(call: Call, { claims }: Prepared, standings: readonly Standing[]): void {
  call.right?.watchQuotas();
  const last = claims.flatMap(({ kind, key }, position): readonly [string, number][] => {
    const standing = standings[position];
    if (kind !== "quota" || standing?.remaining !== 0) return [];
    return [[key, performance.now() + standing.reset / milliseconds]];
  });
  if (last.length > 0) lastRequests.set(call, new Map(last));
}

const none: readonly never[] = [];

/** Rights never change, so that a table of their endpoints holds as long as they do. */
const tables = /* @__PURE__ */ new WeakMap<AccessRight, FindOperations<EndpointLimit>>();

/** The names of all endpoints that a request may be for. */
function findEndpoints({ right }: GrantedRight, { api, verb }: Call): readonly string[] {
  if (right.endpoints === undefined || api === undefined) return none;
  const find = tables.get(right) ?? createOperationTable(right.endpoints);
  tables.set(right, find);
  const { own, alike } = find(verb, api);
  return [...(own === undefined ? [] : [own]), ...alike].map(({ operation }) => operation.name);
}

function answer(call: Call, prepared: Prepared, verdict: RateVerdict): StepResult {
  const { named, policy, quotas } = prepared;
  const { refusedBy, standings } = verdict;
  const told = printStandings(named, standings);
  const refused = named[refusedBy];
  const headers = { "ratelimit-policy": policy, ratelimit: told };
  if (refused !== undefined) return refusal(refused.name, verdict.wait, headers);
  if (quotas.length > 0) noteQuotas(call, prepared, standings);
  if (call.transport.kind === "http") tellInAnswer(call.transport.response, headers);
  return "next";
}

const texts = {
  key: { status: 429, text: "Rate Limit Exceeded", reason: "key_rate" },
  api: { status: 429, text: "API Rate Limit Exceeded", reason: "api_rate" },
  quota: { status: 403, text: "Quota exceeded", reason: "quota" },
} as const;

function refusal(
  name: NamedClaim["name"],
  wait: number,
  headers: Readonly<Record<string, string>>,
): GatewayError {
  const { status, text, reason } = texts[name];
  // Of a quota that is never renewed there is nothing to wait for.
  const retry = Number.isFinite(wait) ? { retryAfter: Math.ceil(wait / microseconds) } : {};
  return new GatewayError(status, text, { headers, reason, ...retry });
}

// The headers that tell clients their limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).

/** The largest integer of structured fields (RFC 9651, 3.3.1). */
const largest = 999_999_999_999_999;

/** `"key";q=10;w=60, "quota";q=1000;w=86400`: what is granted in how many seconds. */
function printPolicy(claims: readonly NamedClaim[]): string {
  return claims.map(({ name, claim }) => `"${name}"${printGrant(claim)}`).join(", ");
}

/** `"key";r=9;t=6`: what is left, and the seconds until all of it is there again. */
function printStandings(claims: readonly NamedClaim[], standings: readonly Standing[]): string {
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
