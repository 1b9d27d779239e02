// The keys and policies in `gateway.yaml`, which do not change while the gateway runs.

import { EnvironmentError } from "../process/environment.ts";
import type { AccessOptions } from "./generated/access-options.ts";
import { hashUser } from "./key-hash.ts";
import type { FoundKey, Keys } from "./keys.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";
import { createSession } from "./sessions.ts";

/**
 * Returns the keys with these records. Throws an `EnvironmentError` if a record, whose values may come from the
 * environment, identifies no key, or if two records identify the same key or user, as it would be unclear which one
 * applies.
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
    // V8 copies a text even if all of it is in lower case.
    const hash = written !== undefined && /[A-F]/.test(written) ? written.toLowerCase() : written;
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

/** Returns the policies by id. */
function policiesById(policies: readonly PolicyRecord[]): ReadonlyMap<string, PolicyRecord> {
  return new Map(policies.flatMap((policy) => (policy.id === undefined ? [] : [[policy.id, policy]])));
}

function addOnce(found: Map<string, FoundKey>, name: string, key: FoundKey): void {
  if (found.has(name)) throw new EnvironmentError(["two entries of `keys` have the same key or user"]);
  found.set(name, key);
}
