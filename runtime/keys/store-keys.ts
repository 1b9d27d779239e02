// Keys and policies of the gateway's store, beside those of `gateway.yaml`.

import { EnvironmentError } from "../process/environment.ts";
import type { Store } from "../store/store.ts";
import { configuredKeys } from "./configured-keys.ts";
import type { AccessOptions } from "./generated/access-options.ts";
import type { Keys } from "./keys.ts";
import type { KeyRecord, KeyStore, PolicyRecord } from "./records.ts";
import { storedKeys } from "./stored-keys.ts";
import { readKey, readPolicy } from "./stored-records.ts";

/**
 * The keys of `gateway.yaml` and of the store that the gateway is started with; those of `gateway.yaml` come first. Keys
 * of either may name policies of both.
 */
export function storeKeys(options: AccessOptions): Keys {
  const configured = configuredKeys(options);
  const policies = configured.policies ?? new Map<string, PolicyRecord>();
  let keys: Keys | undefined;
  const ofStore = () => {
    if (keys === undefined) throw new EnvironmentError(["the keys of the store are asked before it is open"]);
    return keys;
  };
  return {
    policies,
    findKey: (hash) => ofStore().findKey(hash),
    findUser: (name) => ofStore().findUser(name),
    createSession: (id, record) => ofStore().createSession(id, record),
    async start({ store }) {
      if (store === undefined)
        throw new EnvironmentError(["keys of a store are asked for, and there is none"]);
      keys = storedKeys(together(options, policies, recordsOf(store)));
    },
    close: async () => keys?.close?.(),
  };
}

/** Records that stay the same before those that change. */
function together(
  { keys = [] }: AccessOptions,
  policies: ReadonlyMap<string, PolicyRecord>,
  store: KeyStore,
): KeyStore {
  const byHash = new Map(keys.map((key) => [key.key_hash?.toLowerCase() ?? "", key]));
  const byName = new Map(keys.map((key) => [key.username ?? "", key]));
  const known = (found: KeyRecord | undefined, name: string) => (name === "" ? undefined : found);
  return {
    ...store,
    findKey: async (hash) => known(byHash.get(hash), hash) ?? store.findKey(hash),
    findUser: async (name) => known(byName.get(name), name) ?? store.findUser(name),
    findPolicy: async (id) => policies.get(id) ?? store.findPolicy(id),
  };
}

/** The tables of a store as keys are looked up in. */
function recordsOf(store: Store): KeyStore {
  const find = (column: "key_hash" | "user_name", value: string) =>
    store.read(async (connection) => {
      const row = await connection
        .selectFrom("keys")
        .select("record")
        .where(column, "=", value)
        .executeTakeFirst();
      return row && readKey(row.record);
    });
  return {
    findKey: (hash) => find("key_hash", hash),
    findUser: (name) => find("user_name", name),
    findPolicy: (id) =>
      store.read(async (connection) => {
        const row = await connection
          .selectFrom("policies")
          .select("record")
          .where("id", "=", id)
          .executeTakeFirst();
        return row && readPolicy(row.record);
      }),
    onChange: (listener) => store.onChange(["keys", "policies"], listener),
  };
}
