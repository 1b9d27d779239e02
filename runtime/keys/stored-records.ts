// Records of keys and policies as a store has them, JSON with texts, and as the gateway uses them.

import type { AccessRight, AllowedUrl } from "./generated/access-options.ts";
import { passwordTest } from "./passwords.ts";
import { pathTest } from "./path-test.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";

/** Rights with patterns as texts. */
type StoredRights = Readonly<
  Record<string, Omit<AccessRight, "allowed_urls"> & { readonly allowed_urls?: readonly StoredUrl[] }>
>;
type StoredUrl = Omit<AllowedUrl, "url"> & { readonly url: string };

/** A policy as it is stored. */
export type StoredPolicy = Omit<PolicyRecord, "access_rights"> & { readonly access_rights?: StoredRights };

/** A key as it is stored: of a password there is the hash. */
export type StoredKey = Omit<KeyRecord, "access_rights" | "basic_auth_data"> & {
  readonly access_rights?: StoredRights;
  readonly basic_auth_data?: { readonly password: string };
};

/** A policy of a store, whose records were checked when they were written. Throws for a pattern that is not one. */
export function readPolicy(text: string): PolicyRecord {
  const { access_rights: rights, ...rest }: StoredPolicy = JSON.parse(text);
  return { ...rest, ...(rights !== undefined && { access_rights: readRights(rights) }) };
}

/** A key of a store. Throws for a pattern or a hash that is not one. */
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
