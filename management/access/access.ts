// Identifies callers: by a key of the environment, which has all permissions, or by the key of a user in the store.

import type { IncomingMessage } from "node:http";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { type Access, tokenOf } from "../../runtime/rest/access.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { ManagementStore } from "../store/tables.ts";
import { findUser } from "../users/users.ts";
import { type Permission, permissions } from "./permissions.ts";
import { mayAll, maySome } from "./rights.ts";

/** An authenticated caller with its permissions. */
export interface Principal extends RestCaller {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** The requirements of an operation. */
export interface Needed {
  readonly permission: Permission;
  /** Whether a grant for some APIs is enough, because the operation itself checks the caller's rights to each API. */
  readonly isPerApi: boolean;
  /** The organisation that the key has to belong to, if there is a restriction. */
  readonly organisation?: string | undefined;
}

/** The means of identifying callers. */
interface Authorities {
  readonly access: Access;
  readonly store: ManagementStore;
  /** Reads the session cookies of people who have signed in; absent if there is no single sign-on. */
  readonly signOn: { find(request: IncomingMessage): Promise<Principal | undefined> } | undefined;
}

/** Returns the caller of a request. Throws a `refusal`: 401 for an unknown key, 403 if the permission is missing. */
export async function authorise(
  request: IncomingMessage,
  needed: Needed | undefined,
  { access, store, signOn }: Authorities,
): Promise<Principal> {
  const principal =
    ofEnvironment(request, access) ?? (await ofStore(request, store)) ?? (await signOn?.find(request));
  if (principal === undefined) throw refusal(401, "Not authorised");
  if (needed !== undefined && !isAllowed(principal, needed)) {
    const [path = ""] = (request.url ?? "").split("?", 1);
    throw refusal(403, `access denied: You do not have permission to access  ${path}`);
  }
  return principal;
}

function isAllowed(principal: Principal, { permission, isPerApi, organisation }: Needed): boolean {
  if (organisation !== undefined && principal.organisation !== organisation) return false;
  return isPerApi ? maySome(principal, permission) : mayAll(principal, permission);
}

function ofEnvironment(request: IncomingMessage, access: Access): Principal | undefined {
  const holder = access.holderOf(request);
  return (
    holder && {
      organisation: holder.organisation,
      name: `environment key ${holder.place}`,
      permissions: new Set(permissions),
    }
  );
}

/** Finds the user of a key. Keys are 256 random bits, so the timing of the lookup by hash reveals nothing. */
async function ofStore(request: IncomingMessage, store: ManagementStore): Promise<Principal | undefined> {
  const key = tokenOf(request);
  const user = key === undefined ? undefined : await findUser(store, hashKey(key));
  return user;
}
