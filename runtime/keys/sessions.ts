// Derives the rights and limits of a key from its record and its policies.

import type { AccessRight as RightRecord } from "./generated/access-options.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";
import type {
  AccessRight,
  AllowedUrl,
  EndpointLimit,
  KeyRateLimit,
  KeySession,
  MessageLimits,
  Quota,
  SessionLimits,
} from "./session.ts";

/**
 * Returns the session of a key. Several policies are combined: the union of their rights and the highest of their
 * limits. Values of policies replace those of the key; a policy with `partitions` determines only those parts. A key
 * with policies may call what they allow, and nothing if they allow nothing, do not exist, or belong to another
 * organisation than the key. Only a key with neither policies nor `access_rights` may call every API.
 */
export function createSession(id: string, key: KeyRecord, policies: readonly PolicyRecord[]): KeySession {
  const organisation = key.org_id ?? policies.find(({ org_id: owner }) => owner !== undefined)?.org_id;
  const own = policies.filter(({ org_id: owner }) => owner === undefined || owner === organisation);
  const applied = own.filter((policy) => policy.active !== false);
  const terms = findTerms(applied);
  // All fields, in this order: sessions of one form take less memory, and are read faster.
  return {
    id,
    quotaPeriod: key.quota_period,
    alias: key.alias,
    organisation,
    rights: rightsOf(key, terms),
    limits: limitsOf(key, terms),
    expires: key.expires === 0 ? undefined : key.expires,
    isInactive: key.is_inactive === true || own.some(isRefused),
    tags: key.tags === undefined ? terms.tags : [...new Set([...terms.tags, ...key.tags])],
    metadata:
      key.meta_data === undefined ? terms.metadata : new Map([...terms.metadata, ...textsOf(key.meta_data)]),
  };
}

/** What the policies of a key grant together. Keys with the same policies share it: a gateway may have many. */
interface Terms {
  /** By API id; absent if the policies grant no rights. */
  readonly rights: ReadonlyMap<string, AccessRight> | undefined;
  readonly limits: SessionLimits;
  readonly tags: readonly string[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** The terms of a list of policies, once a key has it, and those of the lists that begin with it. */
interface KnownTerms {
  terms?: Terms;
  longer?: WeakMap<PolicyRecord, KnownTerms>;
}

/** The most lists whose terms are known at a time: tokens name policies, and thus any number of lists. */
const mostLists = 10_000;
let ofNoPolicies: KnownTerms = {};
let lists = 0;

/** Returns the terms of policies that apply to a key; records never change. */
function findTerms(applied: readonly PolicyRecord[]): Terms {
  let known = ofNoPolicies;
  for (const policy of applied) {
    known.longer ??= new WeakMap();
    const next = known.longer.get(policy) ?? {};
    known.longer.set(policy, next);
    known = next;
  }
  if (known.terms !== undefined) return known.terms;
  const terms = createTerms(applied);
  known.terms = terms;
  lists += 1;
  if (lists >= mostLists) {
    ofNoPolicies = {};
    lists = 0;
  }
  return terms;
}

function createTerms(policies: readonly PolicyRecord[]): Terms {
  const grants = policies.flatMap((policy) => grantsOf(policy, partsOf(policy)));
  return {
    rights: grants.length === 0 ? undefined : mergeRights(grants),
    limits: mergeLimits(policies.map(limitsOfPolicy)),
    tags: [...new Set(policies.flatMap(({ tags = [] }) => tags))],
    metadata: new Map(policies.flatMap(({ meta_data: data }) => textsOf(data))),
  };
}

function isRefused({ is_inactive: isInactive, state }: PolicyRecord): boolean {
  return isInactive === true || state === "deny";
}

/** The parts of a record that apply. */
interface Parts {
  readonly rights: boolean;
  readonly rate: boolean;
  readonly quota: boolean;
  /** Whether its limits apply to each API separately. */
  readonly perApi: boolean;
}

const all: Parts = { rights: true, rate: true, quota: true, perApi: false };

/** Returns the parts of a policy that apply: all of them if it has no partitions. */
function partsOf({ partitions = {} }: PolicyRecord): Parts {
  const { acl = false, quota = false, rate_limit: rate = false, per_api: perApi = false } = partitions;
  const isPartitioned = acl || quota || rate || perApi || partitions.complexity === true;
  if (!isPartitioned) return all;
  return perApi ? { ...all, perApi } : { rights: acl, rate, quota, perApi };
}

/** Returns the rights of a key; `undefined` if it may call every API. */
function rightsOf(key: KeyRecord, { rights }: Terms): KeySession["rights"] {
  if (rights !== undefined) return rights;
  const isOpen = key.access_rights === undefined && (key.apply_policies ?? []).length === 0;
  return isOpen ? undefined : mergeRights(grantsOf(key, all));
}

function grantsOf(record: KeyRecord | PolicyRecord, parts: Parts): readonly RightGrant[] {
  if (!parts.rights) return [];
  // Rights without limits of their own share the limits of a `per_api` policy.
  const shared = parts.perApi ? said(readLimits(record), parts) : {};
  return Object.entries(record.access_rights ?? {}).map(([api, right]) => {
    const { limits = {}, ...rest } = readRight(right);
    const own = said(limits, parts);
    if (isSaid(own)) return { api, right: { ...rest, limits: own } };
    if (!isSaid(shared)) return { api, right: rest };
    return { api, right: { scope: `policy ${nameOf(record)}`, ...rest, limits: shared } };
  });
}

function isSaid(limits: SessionLimits): boolean {
  return Object.keys(limits).length > 0;
}

function nameOf(record: KeyRecord | PolicyRecord): string {
  return ("id" in record ? record.id : undefined) ?? "";
}

function limitsOf(key: KeyRecord, { limits }: Terms): SessionLimits {
  const own = readLimits(key);
  return isSaid(own) ? { ...own, ...limits } : limits;
}

function limitsOfPolicy(policy: PolicyRecord): SessionLimits {
  const parts = partsOf(policy);
  return parts.perApi ? {} : said(readLimits(policy), parts);
}

/** Returns the limits of the parts that apply. */
function said({ quota, ...others }: SessionLimits, parts: Parts): SessionLimits {
  return {
    ...(parts.rate ? others : {}),
    ...(quota !== undefined && parts.quota && { quota }),
  };
}

/** Returns metadata as texts. Values other than texts are written as JSON. */
function textsOf(data: object | undefined): readonly (readonly [string, string])[] {
  return Object.entries(data ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
}

/** The right that a record grants for an API. */
interface RightGrant {
  /** The id of the API. */
  readonly api: string;
  readonly right: AccessRight;
}

/** Returns the union of all grants, by API id. */
function mergeRights(grants: readonly RightGrant[]): ReadonlyMap<string, AccessRight> {
  const byApi = Map.groupBy(grants, ({ api }) => api);
  return new Map([...byApi].map(([api, ofApi]) => [api, ofApi.map(({ right }) => right).reduce(join)]));
}

/** Reads the right of a record for an API. */
function readRight(right: RightRecord): AccessRight {
  const { versions, allowed_urls: urls, limit, allowance_scope: scope, endpoints = [] } = right;
  return {
    ...(versions !== undefined && { versions: new Set(versions) }),
    ...(urls !== undefined && { allowedUrls: urls.map(readUrl) }),
    ...(limit !== undefined && { limits: readLimits(limit) }),
    ...(scope !== undefined && scope !== "" && { scope }),
    ...(endpoints.length > 0 && { endpoints: endpoints.flatMap(readEndpoint) }),
  };
}

/** Reads allowed paths. An entry without a pattern allows no path. */
function readUrl({ url, methods }: NonNullable<RightRecord["allowed_urls"]>[number]): AllowedUrl {
  return {
    matches: (path) => url?.(path) === true,
    ...(methods !== undefined && { methods: new Set(methods.map((method) => method.toUpperCase())) }),
  };
}

function readEndpoint(endpoint: NonNullable<RightRecord["endpoints"]>[number]): readonly EndpointLimit[] {
  const { path, methods = [] } = endpoint;
  return methods.flatMap(({ name = "", limit }) => {
    if (path === undefined || limit === undefined) return [];
    const verb = name.toUpperCase();
    return [{ path, verb, name: `${verb} ${path}`, limits: readLimits(limit) }];
  });
}

/** Returns the union of two rights. A missing list restricts nothing, so the union with it is missing as well. */
function join(one: AccessRight, other: AccessRight): AccessRight {
  const scope = one.scope ?? other.scope;
  const limits = [one.limits, other.limits].filter((each) => each !== undefined);
  const endpoints = joinEndpoints([...(one.endpoints ?? []), ...(other.endpoints ?? [])]);
  return {
    ...(one.versions && other.versions && { versions: one.versions.union(other.versions) }),
    ...(one.allowedUrls && other.allowedUrls && { allowedUrls: [...one.allowedUrls, ...other.allowedUrls] }),
    ...(limits.length > 0 && { limits: mergeLimits(limits) }),
    ...(scope !== undefined && { scope }),
    ...(endpoints.length > 0 && { endpoints }),
  };
}

function joinEndpoints(all: readonly EndpointLimit[]): readonly EndpointLimit[] {
  const byName = new Map<string, EndpointLimit>();
  for (const endpoint of all) {
    const limits = mergeLimits([endpoint.limits, byName.get(endpoint.name)?.limits ?? {}]);
    byName.set(endpoint.name, { ...endpoint, limits });
  }
  return [...byName.values()];
}

/** Returns the limits of a record. Absent fields do not limit anything. */
function readLimits(record: {
  readonly rate?: number;
  readonly per?: number;
  readonly quota_max?: number;
  readonly quota_renewal_rate?: number;
  readonly max_connections?: number;
  readonly message_limit?: MessageLimitRecord;
}): SessionLimits {
  const { rate, per = 1, quota_max: max, quota_renewal_rate: renewal = 0 } = record;
  const { max_connections: connections, message_limit: messages } = record;
  const limit: KeyRateLimit | undefined = rate === undefined ? undefined : { rate, per };
  return {
    ...(limit === undefined ? {} : { rate: limit }),
    ...(max === undefined ? {} : { quota: { max, renewal } }),
    ...(connections === undefined ? {} : { connections }),
    ...(messages === undefined ? {} : { messages: readMessages(messages) }),
  };
}

/** The `message_limit` of a record. */
interface MessageLimitRecord {
  readonly from_client?: KeyRateLimit;
  readonly to_client?: KeyRateLimit;
  readonly when_exceeded?: "slow" | "close";
}

function readMessages(record: MessageLimitRecord): MessageLimits {
  const { from_client: fromClient, to_client: toClient, when_exceeded: whenExceeded } = record;
  return {
    ...(fromClient === undefined ? {} : { fromClient }),
    ...(toClient === undefined ? {} : { toClient }),
    ...(whenExceeded === undefined ? {} : { whenExceeded }),
  };
}

/** Returns the highest of each limit. Absent limits do not count. */
function mergeLimits(all: readonly SessionLimits[]): SessionLimits {
  const rate = highest(
    all.flatMap((each) => each.rate ?? []),
    requestsPerSecond,
  );
  const quota = highest(
    all.flatMap((each) => each.quota ?? []),
    ({ max }) => (max === -1 ? Number.POSITIVE_INFINITY : max),
    perSecond,
  );
  const connections = highest(
    all.flatMap((each) => each.connections ?? []),
    (most) => (most === 0 ? Number.POSITIVE_INFINITY : most),
  );
  const messages = all.flatMap((each) => each.messages ?? []);
  return {
    ...(rate === undefined ? {} : { rate }),
    ...(quota === undefined ? {} : { quota }),
    ...(connections === undefined ? {} : { connections }),
    ...(messages.length === 0 ? {} : { messages: mergeMessages(messages) }),
  };
}

/** Merges message limits. A socket is closed only if all limits of the client's messages require it. */
function mergeMessages(all: readonly MessageLimits[]): MessageLimits {
  const fromClient = highest(
    all.flatMap((each) => each.fromClient ?? []),
    requestsPerSecond,
  );
  const toClient = highest(
    all.flatMap((each) => each.toClient ?? []),
    requestsPerSecond,
  );
  const incoming = all.filter((each) => each.fromClient !== undefined);
  const closes = incoming.length > 0 && incoming.every(({ whenExceeded }) => whenExceeded === "close");
  return {
    ...(fromClient === undefined ? {} : { fromClient }),
    ...(toClient === undefined ? {} : { toClient }),
    whenExceeded: closes ? "close" : "slow",
  };
}

/** Returns the rate of a limit. A rate of 0 means no limit. */
function requestsPerSecond({ rate, per }: KeyRateLimit): number {
  return rate === 0 ? Number.POSITIVE_INFINITY : rate / per;
}

/** Returns the renewal rate, which ranks equal quotas: renewed sooner is higher, never renewed is lowest. */
function perSecond({ max, renewal }: Quota): number {
  return renewal === 0 ? 0 : max / renewal;
}

function highest<T>(all: readonly T[], ...measures: readonly ((item: T) => number)[]): T | undefined {
  return all.toSorted((a, b) => {
    for (const measure of measures) {
      const [first, second] = [measure(a), measure(b)];
      if (first !== second) return first > second ? -1 : 1;
    }
    return 0;
  })[0];
}
