// Policies that credentials are made with: those of the organisation, and those of `gateway.yaml`.

import type { PolicyRecord } from "../../keys/records.ts";
import type { StoredPolicy } from "../../keys/stored-records.ts";
import { refusal } from "../../rest/answers.ts";
import type { StoreConnection } from "../../store/store.ts";

/** What of a policy says something of credentials themselves. */
export type KnownPolicy = Pick<PolicyRecord, "key_expires_in">;

/** The policies of these ids; rejects with 400 unless there are some and all of them are known. */
export async function getPolicies(
  connection: StoreConnection,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  ids: readonly string[],
): Promise<readonly KnownPolicy[]> {
  const own = ids.flatMap((id) => {
    const policy = configured.get(id);
    return policy !== undefined && (policy.org_id ?? organisation) === organisation ? [{ id, policy }] : [];
  });
  const others = ids.filter((id) => !own.some((each) => each.id === id));
  const rows =
    others.length === 0
      ? []
      : await connection
          .selectFrom("policies")
          .select("record")
          .where("org_id", "=", organisation)
          .where("id", "in", others)
          .execute();
  if (ids.length === 0 || rows.length < others.length) throw refusal(400, "No policy found!");
  const stored = rows.map(({ record }): StoredPolicy => JSON.parse(record));
  return [...own.map(({ policy }) => policy), ...stored];
}

/** When a key that is made with these policies now expires, in Unix seconds: the soonest counts; 0 for never. */
export function expiryOf(policies: readonly KnownPolicy[], now: number = Date.now()): number {
  const seconds = policies.flatMap(({ key_expires_in: period = 0 }) => (period > 0 ? [period] : []));
  return seconds.length === 0 ? 0 : Math.floor(now / 1000) + Math.min(...seconds);
}
