// Addresses of stores: `sqlite:PATH` or `postgres://…`.

import { type Environment, EnvironmentError } from "../process/environment.ts";

/** The address of a store. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** What an invalid address is, without quoting it, because it may contain a password. */
const invalid = "is neither `sqlite:PATH` nor `postgres://…`";

/** Parses an address. Throws an `EnvironmentError` if it is not valid. */
export function parseStoreAddress(text: string): StoreAddress {
  const address = toAddress(text);
  if (address === undefined) throw new EnvironmentError([`the store ${invalid}`]);
  return address;
}

/**
 * Returns the address in `GW_STORE_URL`, otherwise `written`; `undefined` if it is not valid, which the environment
 * reports, or empty, because a variable in `written` is.
 */
export function readStoreAddress(env: Environment, written?: string): StoreAddress | undefined {
  const text = env.text("GW_STORE_URL", written);
  const address = toAddress(text);
  if (address === undefined && (text !== "" || written === undefined)) env.refuse("GW_STORE_URL", invalid);
  return address;
}

function toAddress(text: string): StoreAddress | undefined {
  if (/^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)) return { kind: "postgres", url: text };
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(text)?.[1];
  return file === undefined ? undefined : { kind: "sqlite", file };
}
