// Who asks: a key of the environment, which may do everything, or one of a user in the store.

import type { IncomingMessage } from "node:http";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { type Access, tokenOf } from "../../runtime/rest/access.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { ManagementStore } from "../store/tables.ts";
import { findUser } from "../users/users.ts";
import { type Permission, permissions } from "./permissions.ts";
import { mayAll, maySome } from "./rights.ts";

/** Who asks, and what it may do. */
export interface Principal extends RestCaller {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** What an operation asks for. */
export interface Needed {
  readonly permission: Permission;
  /** It looks itself at what the caller may do with each API, so that a grant for some of them is enough. */
  readonly isPerApi: boolean;
  /** Only for keys of that organisation. */
  readonly organisation?: string | undefined;
}

/** Who says who a request is of. */
interface Authorities {
  readonly access: Access;
  readonly store: ManagementStore;
  /** Reads the cookies of people who have signed in; absent without single sign-on. */
  readonly signOn: { find(request: IncomingMessage): Promise<Principal | undefined> } | undefined;
}

/** Gives who a request is of; throws a `refusal`: 401 for an unknown key, 403 for one without the permission. */
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

/** Keys are 256 random bits, so that a lookup by their hash reveals nothing. */
async function ofStore(request: IncomingMessage, store: ManagementStore): Promise<Principal | undefined> {
  const key = tokenOf(request);
  const user = key === undefined ? undefined : await findUser(store, hashKey(key));
  return user;
}
