// Access rights of records, and of several of them as one.

import type { AccessRight as RightRecord } from "./generated/access-options.ts";
import { mergeLimits, readLimits } from "./limits.ts";
import type { AccessRight, AllowedUrl, EndpointLimit } from "./session.ts";

/** What one record says of one API. */
export interface RightGrant {
  /** Id of the API. */
  readonly api: string;
  readonly right: AccessRight;
}

/** The union of all grants by id of the API. */
export function mergeRights(grants: readonly RightGrant[]): ReadonlyMap<string, AccessRight> {
  const byApi = Map.groupBy(grants, ({ api }) => api);
  return new Map([...byApi].map(([api, ofApi]) => [api, ofApi.map(({ right }) => right).reduce(join)]));
}

/** What a record says of one API. */
export function readRight(right: RightRecord): AccessRight {
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
