// Finds the right of a caller that admits and limits a request.

import type { FoundVersion } from "../http/versioning.ts";
import type { AccessRight, KeySession } from "../keys/session.ts";

/** A right, and the API that it is for: the API of the request, or the API that it is a version of. */
export interface GrantedRight {
  readonly api: string;
  readonly right: AccessRight;
}

/** The name that rights use for the version of an API without versions. */
const onlyVersion = "Default";

/**
 * Returns the right to call `api`; `version`: the version as which the request reached it, if any. A right to the API
 * itself takes precedence over a right to the API that has the version, which must name the version or none.
 * `undefined` if there is no right.
 */
export function findGrantedRight(
  { rights }: KeySession,
  api: string,
  version: FoundVersion | undefined,
): GrantedRight | undefined {
  const own = rights?.get(api);
  if (own !== undefined && (allows(own, onlyVersion) || (version !== undefined && allows(own, version.name))))
    return { api, right: own };
  if (version === undefined || version.base === api) return undefined;
  const ofBase = rights?.get(version.base);
  return ofBase !== undefined && allows(ofBase, version.name)
    ? { api: version.base, right: ofBase }
    : undefined;
}

function allows({ versions }: AccessRight, name: string): boolean {
  return versions === undefined || versions.has(name);
}
