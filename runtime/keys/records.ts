// Records of keys and policies, from `gateway.yaml` or from a store.

import type { Key, Policy } from "./generated/access-options.ts";

export type KeyRecord = Key & {
  /** The name of the current quota period: a new name restarts the quotas. Only keys of a store have one. */
  readonly quota_period?: string;
};
export type PolicyRecord = Policy;

/** Whether the value that verifies the tokens of a key is the address of a key set instead of a key. */
export function isKeySetAddress(secret: string): boolean {
  return /^https?:\/\//i.test(secret);
}

/** The kinds of records that can be looked up. */
export type RecordKind = "key" | "user" | "policy";

/** A store of records, which may change at any time. Methods reject with a `GatewayError` if it is not available. */
export interface KeyStore {
  /** Returns the record with this `key_hash`, in lower-case hexadecimal digits. */
  findKey(hash: string): Promise<KeyRecord | undefined>;
  /** Returns the record with this `username`. */
  findUser(name: string): Promise<KeyRecord | undefined>;
  /** Returns the policy with this `id`. */
  findPolicy(id: string): Promise<PolicyRecord | undefined>;
  /**
   * Returns several records at once, by the arguments of the other methods; absent if the store is always available.
   */
  findAll?(kind: RecordKind, names: readonly string[]): Promise<ReadonlyMap<string, object>>;
  /**
   * Calls `listener` after each change that this process makes or detects. Returns a function that removes the
   * listener. Other changes take effect within a second.
   */
  onChange?(listener: () => void): () => void;
}
