// Which of a caller's rights lets a request in, and limits it.

import type { FoundVersion } from "../http/versioning.ts";
import type { AccessRight, KeySession } from "../keys/session.ts";

/** A right, and the API that it is about: the one that is called, or the one whose version that is. */
export interface GrantedRight {
  readonly api: string;
  readonly right: AccessRight;
}

/** What rights call the version of an API that has no others. */
const onlyVersion = "Default";

/**
 * The right to call `api`, to which a request came as `version` of another where that is there. The right to the API
 * itself comes first; that to the other one counts where it names the version, or none. `undefined` where there is none.
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
