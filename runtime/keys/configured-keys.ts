// The keys and policies that `gateway.yaml` holds: they stay the same as long as the gateway runs.

import { EnvironmentError } from "../process/environment.ts";
import type { AccessOptions } from "./generated/access-options.ts";
import { hashUser } from "./key-hash.ts";
import type { FoundKey, Keys } from "./keys.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";
import { createSession } from "./sessions.ts";

/**
 * Keys with these records. Throws an `EnvironmentError` where one of them, from the environment, is of no key at all, or
 * two are of one key or user: it would be unclear which of the two is meant.
 */
export function configuredKeys({ policies = [], keys = [] }: AccessOptions): Keys {
  const byId = policiesById(policies);
  const sessionOf = (id: string, record: KeyRecord) => {
    const applied = (record.apply_policies ?? []).flatMap((name) => byId.get(name) ?? []);
    return createSession(id, record, applied);
  };
  const byHash = new Map<string, FoundKey>();
  const byName = new Map<string, FoundKey>();
  for (const record of keys) {
    const { key_hash: written, username: name } = record;
    const hash = written?.toLowerCase();
    if ((hash ?? name ?? "") === "") throw new EnvironmentError(["an entry of `keys` has no `key_hash`"]);
    if (hash !== undefined && hash !== "")
      addOnce(byHash, hash, { session: sessionOf(hash, record), record });
    if (name !== undefined && name !== "")
      addOnce(byName, name, { session: sessionOf(hashUser(name), record), record });
  }
  return {
    findKey: (hash) => byHash.get(hash),
    findUser: (name) => byName.get(name),
    createSession: sessionOf,
    policies: byId,
  };
}

/** Policies by the id that keys name them by. */
function policiesById(policies: readonly PolicyRecord[]): ReadonlyMap<string, PolicyRecord> {
  return new Map(policies.flatMap((policy) => (policy.id === undefined ? [] : [[policy.id, policy]])));
}

function addOnce(found: Map<string, FoundKey>, name: string, key: FoundKey): void {
  if (found.has(name)) throw new EnvironmentError(["two entries of `keys` are of one key or one user"]);
  found.set(name, key);
}
