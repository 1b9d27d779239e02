// Which credentials open an API of the gateway, its versions included.

import type { AcceptedCredential } from "../keys/accepted-credentials.ts";
import type { PreparedApi } from "./prepared-api.ts";

/** The APIs of a gateway, by id. */
interface ServedApis {
  find(id: string): PreparedApi | undefined;
}

/**
 * What the API of that id accepts; that of each of its versions, as a key may be for one of them. `undefined` where it is
 * not served here, or one of them is open to all.
 */
export function findAccepted(apis: ServedApis, id: string): readonly AcceptedCredential[] | undefined {
  const named = apis.find(id);
  if (named === undefined) return undefined;
  const ids = named.definition.versions?.all.map((version) => version.id) ?? [];
  const accepted = [...new Set([id, ...ids])].map((each) => {
    const callers = apis.find(each)?.protections.flatMap((protection) => protection.callers ?? []) ?? [];
    return callers.length === 0 ? undefined : callers.flatMap((of) => of.accepted);
  });
  if (accepted.some((each) => each === undefined)) return undefined;
  return accepted.flatMap((each) => each ?? []);
}
