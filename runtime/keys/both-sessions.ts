// The intersection of two sessions: a client that acts for a user may do only what both may do.

import type { AccessRight, AllowedUrl, KeySession } from "./session.ts";

/**
 * Returns the session of a client that acts for a user: limited like the client, without rights that the user lacks.
 */
export function actingFor(client: KeySession, user: KeySession): KeySession {
  const { rights: own } = client;
  const rights =
    own === undefined || user.rights === undefined ? (own ?? user.rights) : both(own, user.rights);
  const ends = [client.expires, user.expires].filter((each) => each !== undefined);
  return {
    ...client,
    ...(rights !== undefined && { rights }),
    ...(ends.length > 0 && { expires: Math.min(...ends) }),
    isInactive: client.isInactive || user.isInactive,
    metadata: new Map([...client.metadata, ...user.metadata]),
  };
}

function both(
  one: ReadonlyMap<string, AccessRight>,
  other: ReadonlyMap<string, AccessRight>,
): ReadonlyMap<string, AccessRight> {
  return new Map(
    [...one].flatMap(([api, right]) => {
      const second = other.get(api);
      return second === undefined ? [] : [[api, narrow(right, second)]];
    }),
  );
}

/** Returns the intersection of two rights. A missing list restricts nothing. */
function narrow(right: AccessRight, by: AccessRight): AccessRight {
  const versions =
    right.versions === undefined || by.versions === undefined
      ? (right.versions ?? by.versions)
      : right.versions.intersection(by.versions);
  const urls =
    right.allowedUrls === undefined || by.allowedUrls === undefined
      ? (right.allowedUrls ?? by.allowedUrls)
      : right.allowedUrls.flatMap((one) => by.allowedUrls?.map((other) => narrowUrl(one, other)) ?? []);
  return {
    ...right,
    ...(versions !== undefined && { versions }),
    ...(urls !== undefined && { allowedUrls: urls }),
  };
}

function narrowUrl(one: AllowedUrl, other: AllowedUrl): AllowedUrl {
  const methods =
    one.methods === undefined || other.methods === undefined
      ? (one.methods ?? other.methods)
      : one.methods.intersection(other.methods);
  return {
    matches: (path) => one.matches(path) && other.matches(path),
    ...(methods !== undefined && { methods }),
  };
}
