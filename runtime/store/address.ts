// Addresses of stores: `sqlite:PATH` or `postgres://…`.

import { EnvironmentError } from "../process/environment.ts";

/** Where a store is. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * Reads an address as `store:` of `gateway.yaml` and `GW_STORE_URL` have it. Throws an `EnvironmentError` that does not
 * quote it, since it may hold a password.
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (/^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)) return { kind: "postgres", url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(text)?.[1];
  if (file !== undefined) return { kind: "sqlite", file };
  throw new EnvironmentError(["the store is neither `sqlite:PATH` nor `postgres://…`"]);
}
