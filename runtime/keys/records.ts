// Records of keys and policies as they are kept: in `gateway.yaml`, or in a store.

import type { Key, Policy } from "./generated/access-options.ts";

export type KeyRecord = Key & {
  /** Which of a key's quotas count: another name begins them anew. Only keys of a store have one. */
  readonly quota_period?: string;
};
export type PolicyRecord = Policy;

/** Whether what verifies the tokens of a key is the address of a key set, and no key itself. */
export function isKeySetAddress(secret: string): boolean {
  return /^https?:\/\//i.test(secret);
}

/** What a record is looked up as. */
export type RecordKind = "key" | "user" | "policy";

/**
 * Where records are kept. Records may change at any time; rejects with a `GatewayError` when it cannot be asked.
 */
export interface KeyStore {
  /** The record whose `key_hash` this is, in lower-case hexadecimal digits. */
  findKey(hash: string): Promise<KeyRecord | undefined>;
  /** The record whose `username` this is. */
  findUser(name: string): Promise<KeyRecord | undefined>;
  /** The policy whose `id` this is. */
  findPolicy(id: string): Promise<PolicyRecord | undefined>;
  /** Several records at once, by what `findKey` and the others take; absent where records cannot get out of reach. */
  findAll?(kind: RecordKind, names: readonly string[]): Promise<ReadonlyMap<string, object>>;
  /**
   * Calls `listener` after each change that this process made or heard of; gives back how to stop. Changes that it does
   * not hear of are noticed a second later.
   */
  onChange?(listener: () => void): () => void;
}
