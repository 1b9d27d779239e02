// A gateway whose stream requires one authentication method, with policies `gold` and `silver` for its API.

import { configuredKeys } from "../../../../runtime/keys/configured-keys.ts";
import type { KeyRecord } from "../../../../runtime/keys/records.ts";
import { accessRights } from "../../../../runtime/protections/access-rights.ts";
import { authentication } from "../../../../runtime/protections/authentication/authentication.ts";
import type { AuthenticationMethod } from "../../../../runtime/protections/authentication/method.ts";
import { type GuardedGateway, startGuarded } from "../guarded.ts";

const policies = [
  { id: "gold", access_rights: { orders: {} }, tags: ["gold"] },
  { id: "silver", access_rights: { orders: {} }, tags: ["silver"] },
  { id: "elsewhere", access_rights: { invoices: {} } },
];

export interface GuardedBy extends GuardedGateway {
  /** Returns the status and the error text of a request with these headers. */
  ask(
    headers?: Readonly<Record<string, string>>,
    query?: string,
  ): Promise<readonly [number, string | undefined]>;
  /** Returns the same for a request with a bearer token. */
  bear(token: string): Promise<readonly [number, string | undefined]>;
}

export async function guardedBy(
  method: AuthenticationMethod,
  scopes: readonly string[] = [],
  keys: readonly KeyRecord[] = [],
): Promise<GuardedBy> {
  const asking = authentication({ methods: { it: method }, requirements: [{ it: scopes }] });
  const gateway = await startGuarded([asking, accessRights()], { keys: configuredKeys({ policies, keys }) });
  const ask: GuardedBy["ask"] = async (headers = {}, query = "") => {
    const response = await fetch(`${gateway.url}${query}`, { method: "POST", body: "a", headers });
    const text = await response.text();
    return [response.status, text === "" ? undefined : JSON.parse(text).error];
  };
  return Object.assign(gateway, {
    ask,
    bear: (token: string) => ask({ authorization: `Bearer ${token}` }),
  });
}

/** The results of `ask` for refused requests. */
export const refusals = {
  missing: [401, "Authorization field missing"],
  disallowed: [403, "Access to this API has been disallowed"],
  expired: [401, "Key has expired, please renew"],
  unknowable: [503, "Credentials cannot be checked now"],
} as const;
