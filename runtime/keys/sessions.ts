// What a key with its policies may do, and the limits of several records as one.

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
 * The session of a key. Of several policies it has the union of the rights and the highest limits. What a policy says
 * takes the place of what the key itself says; a policy with `partitions` only says those parts. A key that names
 * policies may call what they allow, and nothing when they allow nothing, are not there, or are of another organisation
 * than the key; only a key that has neither policies nor `access_rights` may call every API.
 */
export function createSession(id: string, key: KeyRecord, policies: readonly PolicyRecord[]): KeySession {
  const { organisation } = organisationOf(key, policies);
  const own = policies.filter(({ org_id: id }) => id === undefined || id === organisation);
  const applied = own.filter((policy) => policy.active !== false);
  return {
    id,
    ...(key.alias === undefined ? {} : { alias: key.alias }),
    ...(organisation !== undefined && { organisation }),
    ...rightsOf(key, applied),
    limits: limitsOf(key, applied),
    ...(key.expires === undefined || key.expires === 0 ? {} : { expires: key.expires }),
    ...(key.quota_period === undefined ? {} : { quotaPeriod: key.quota_period }),
    isInactive: key.is_inactive === true || own.some(isRefused),
    tags: [...new Set([...applied.flatMap(({ tags = [] }) => tags), ...(key.tags ?? [])])],
    metadata: new Map([...applied, key].flatMap(({ meta_data: data }) => textsOf(data))),
  };
}

function isRefused({ is_inactive: isInactive, state }: PolicyRecord): boolean {
  return isInactive === true || state === "deny";
}

function organisationOf(
  { org_id: own }: KeyRecord,
  policies: readonly PolicyRecord[],
): Pick<KeySession, "organisation"> {
  const organisation = own ?? policies.find(({ org_id: id }) => id !== undefined)?.org_id;
  return organisation === undefined ? {} : { organisation };
}

/** The parts of a record that apply. */
interface Parts {
  readonly rights: boolean;
  readonly rate: boolean;
  readonly quota: boolean;
  /** Its limits are those of each API for itself. */
  readonly perApi: boolean;
}

const all: Parts = { rights: true, rate: true, quota: true, perApi: false };

/** Without partitions all of a policy applies. */
function partsOf({ partitions = {} }: PolicyRecord): Parts {
  const { acl = false, quota = false, rate_limit: rate = false, per_api: perApi = false } = partitions;
  const isPartitioned = acl || quota || rate || perApi || partitions.complexity === true;
  if (!isPartitioned) return all;
  return perApi ? { ...all, perApi } : { rights: acl, rate, quota, perApi };
}

function rightsOf(key: KeyRecord, policies: readonly PolicyRecord[]): Pick<KeySession, "rights"> {
  const granted = policies.flatMap((policy) => grantsOf(policy, partsOf(policy)));
  const grants = granted.length > 0 ? granted : grantsOf(key, all);
  const isOpen =
    key.access_rights === undefined && grants.length === 0 && (key.apply_policies ?? []).length === 0;
  return isOpen ? {} : { rights: mergeRights(grants) };
}

function grantsOf(record: KeyRecord | PolicyRecord, parts: Parts): readonly RightGrant[] {
  if (!parts.rights) return [];
  // Rights without limits of their own have those of a `per_api` policy, and use them up together.
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

function limitsOf(key: KeyRecord, policies: readonly PolicyRecord[]): SessionLimits {
  const ofPolicies = policies.map((policy) => {
    const parts = partsOf(policy);
    return parts.perApi ? {} : said(readLimits(policy), parts);
  });
  return { ...readLimits(key), ...mergeLimits(ofPolicies) };
}

/** The limits that are of parts that apply. */
function said({ quota, ...others }: SessionLimits, parts: Parts): SessionLimits {
  return {
    ...(parts.rate ? others : {}),
    ...(quota !== undefined && parts.quota && { quota }),
  };
}

/** Metadata are texts: others are written as JSON. */
function textsOf(data: object | undefined): readonly (readonly [string, string])[] {
  return Object.entries(data ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
}

/** What one record says of one API. */
interface RightGrant {
  /** Id of the API. */
  readonly api: string;
  readonly right: AccessRight;
}

/** The union of all grants by id of the API. */
function mergeRights(grants: readonly RightGrant[]): ReadonlyMap<string, AccessRight> {
  const byApi = Map.groupBy(grants, ({ api }) => api);
  return new Map([...byApi].map(([api, ofApi]) => [api, ofApi.map(({ right }) => right).reduce(join)]));
}

/** What a record says of one API. */
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

/** What has no test allows no path. */
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

/** A list that is not there restricts nothing, so the union with it is not there either. */
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

/** The limits of a record; what it does not mention it does not limit. */
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

/** The highest of each; what is not mentioned is not limited. */
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

/** A socket is closed only where all that say something of its client's messages say so. */
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

/** A rate of 0 is any number. */
function requestsPerSecond({ rate, per }: KeyRateLimit): number {
  return rate === 0 ? Number.POSITIVE_INFINITY : rate / per;
}

/** Of two equal quotas the one that is renewed sooner is higher; one that is never renewed is lowest. */
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
