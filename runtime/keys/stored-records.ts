// Converts records of keys and policies from their stored form, JSON with texts, to the form that the gateway uses.

import type { AccessRight, AllowedUrl } from "./generated/access-options.ts";
import { passwordTest } from "./passwords.ts";
import { pathTest } from "./path-test.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";

/** Rights whose patterns are texts. */
type StoredRights = Readonly<
  Record<string, Omit<AccessRight, "allowed_urls"> & { readonly allowed_urls?: readonly StoredUrl[] }>
>;
type StoredUrl = Omit<AllowedUrl, "url"> & { readonly url: string };

/** A stored policy. */
export type StoredPolicy = Omit<PolicyRecord, "access_rights"> & { readonly access_rights?: StoredRights };

/** A stored key, with the hash of its password as text. */
export type StoredKey = Omit<KeyRecord, "access_rights" | "basic_auth_data"> & {
  readonly access_rights?: StoredRights;
  readonly basic_auth_data?: { readonly password: string };
};

/** Parses a stored policy, which was validated when it was written. Throws if a pattern is not valid. */
export function readPolicy(text: string): PolicyRecord {
  const { access_rights: rights, ...rest }: StoredPolicy = JSON.parse(text);
  return { ...rest, ...(rights !== undefined && { access_rights: readRights(rights) }) };
}

/** Parses a stored key. Throws if a pattern or a password hash is not valid. */
export function readKey(text: string): KeyRecord {
  const { access_rights: rights, basic_auth_data: basic, ...rest }: StoredKey = JSON.parse(text);
  return {
    ...rest,
    ...(rights !== undefined && { access_rights: readRights(rights) }),
    ...(basic !== undefined && { basic_auth_data: { password: passwordTest(basic.password) } }),
  };
}

function readRights(rights: StoredRights): Readonly<Record<string, AccessRight>> {
  return Object.fromEntries(
    Object.entries(rights).map(([api, { allowed_urls: urls, ...right }]) => [
      api,
      urls === undefined
        ? right
        : { ...right, allowed_urls: urls.map(({ url, ...rest }) => ({ ...rest, url: pathTest(url) })) },
    ]),
  );
}
