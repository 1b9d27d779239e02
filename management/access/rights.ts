// The rights of a caller to an API: by permissions for the whole organisation, or by grants for some of its APIs.

import type { GatewayError } from "../../runtime/errors.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { ApiGrant, RestCaller } from "../../runtime/rest/operation.ts";
import type { Permission } from "./permissions.ts";

/** The properties of an API that grants match. */
export interface NamedApi {
  readonly id: string;
  readonly name: string;
}

/** Permissions that can be granted for single APIs. */
export type ApiPermission = Extract<Permission, "read" | "write">;

/** Whether a caller has a permission for its whole organisation. */
export function mayAll({ permissions }: RestCaller, permission: Permission): boolean {
  return permissions?.has(permission) === true;
}

/** Whether a caller has a permission for at least one API, which need not exist. */
export function maySome(caller: RestCaller, permission: Permission): boolean {
  return mayAll(caller, permission) || grantsOf(caller, permission).length > 0;
}

/** Whether a caller has a permission for an API of its organisation. */
export function may(caller: RestCaller, permission: Permission, api: NamedApi): boolean {
  return (
    mayAll(caller, permission) ||
    grantsOf(caller, permission).some(({ api: pattern, by = "id" }) => isMatch(pattern, api[by]))
  );
}

/**
 * Returns an API if the caller has the permission for it. Throws `missing` if there is no such API or the caller may
 * not read it, and a 403 if the caller may only read it.
 */
export function permitted<A extends NamedApi>(
  caller: RestCaller,
  permission: ApiPermission,
  api: A | undefined,
  missing: GatewayError,
): A {
  if (api !== undefined && may(caller, permission, api)) return api;
  if (api !== undefined && may(caller, "read", api))
    throw refusal(403, `access denied: You do not have the permission \`${permission}\` for this API.`);
  throw missing;
}

/** Throws a 403 if the caller may not write APIs with this id and name, which it is about to create or change. */
export function refuseUnlessMay(caller: RestCaller, api: NamedApi): void {
  if (!may(caller, "write", api)) {
    throw refusal(403, "access denied: You do not have the permission `write` for APIs of this id and name.");
  }
}

/** Whether the caller has all the rights that a grant would give. */
export function covers(caller: RestCaller, { api, by = "id", permissions }: ApiGrant): boolean {
  return permissions.every(
    (permission) =>
      caller.permissions?.has(permission) === true ||
      caller.grants?.some(
        (own) =>
          (own.by ?? "id") === by &&
          own.permissions.includes(permission) &&
          // An asterisk in the pattern is matched only by an asterisk in the caller's own pattern.
          isMatch(own.api, api),
      ) === true,
  );
}

function grantsOf({ grants = [] }: RestCaller, permission: Permission): readonly ApiGrant[] {
  return grants.filter(({ permissions }) => permissions.includes(permission));
}

/** Whether a text matches a pattern, in which `*` stands for any text. */
export function isMatch(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  let at = first.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < at) return false;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
