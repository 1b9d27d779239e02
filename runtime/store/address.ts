// Addresses of stores: `sqlite:PATH` or `postgres://…`.

import { EnvironmentError } from "../process/environment.ts";

/** The address of a store. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * Parses an address from `store:` of `gateway.yaml` or from `GW_STORE_URL`. Throws an `EnvironmentError` if it is not
 * valid, without quoting it, because it may contain a password.
 */
export function parseStoreAddress(text: string): StoreAddress {
  if (/^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)) return { kind: "postgres", url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(text)?.[1];
  if (file !== undefined) return { kind: "sqlite", file };
  throw new EnvironmentError(["the store is neither `sqlite:PATH` nor `postgres://…`"]);
}
