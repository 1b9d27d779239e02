// The policies that credentials can have: those of the organisation in the store, and those of `gateway.yaml`.

import type { PolicyRecord } from "../../keys/records.ts";
import type { StoredPolicy } from "../../keys/stored-records.ts";
import { refusal } from "../../rest/answers.ts";
import type { StoreConnection } from "../../store/store.ts";

/** The fields of a policy that concern the expiry, the limits and the APIs of credentials. */
export interface KnownPolicy
  extends Pick<PolicyRecord, "key_expires_in" | "rate" | "per" | "quota_max" | "quota_renewal_rate"> {
  /** By API id. */
  readonly access_rights?: Readonly<Record<string, unknown>>;
}

/** Returns the policies of the organisation with these ids, by id. */
export async function findPolicies(
  connection: StoreConnection,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownPolicy>> {
  const own = ids.flatMap((id): readonly [string, KnownPolicy][] => {
    const policy = configured.get(id);
    return policy !== undefined && (policy.org_id ?? organisation) === organisation ? [[id, policy]] : [];
  });
  const others = ids.filter((id) => !own.some(([known]) => known === id));
  const rows =
    others.length === 0
      ? []
      : await connection
          .selectFrom("policies")
          .select(["id", "record"])
          .where("org_id", "=", organisation)
          .where("id", "in", others)
          .execute();
  const stored = rows.map(({ id, record }): [string, KnownPolicy] => {
    const policy: StoredPolicy = JSON.parse(record);
    return [id, policy];
  });
  return new Map([...own, ...stored]);
}

/** A policy id and the field that contains it, such as `apis.0.policy_id`. */
export interface NamedPolicy {
  readonly field: string;
  readonly id: string;
}

/** Returns a problem for each field that does not name a policy of the organisation. */
export async function problemsOfPolicies(
  connection: StoreConnection,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  named: readonly NamedPolicy[],
): Promise<readonly string[]> {
  const ids = named.map(({ id }) => id);
  return problemsOf(named, await findPolicies(connection, configured, organisation, ids));
}

function problemsOf(
  named: readonly NamedPolicy[],
  known: ReadonlyMap<string, KnownPolicy>,
): readonly string[] {
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ field, id }) => `${field}: \`${id}\` is not a policy of the organisation`);
}

/** Returns the policies with these ids. Rejects with 400 and names `field` if there are none or one does not exist. */
export async function getPolicies(
  connection: StoreConnection,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  ids: readonly string[],
  field = "apply_policies",
): Promise<readonly KnownPolicy[]> {
  const known = await findPolicies(connection, configured, organisation, ids);
  const named = ids.map((id) => ({ field, id }));
  const problems = ids.length === 0 ? [`${field}: names no policy`] : problemsOf(named, known);
  if (problems.length > 0) throw refusal(400, "No policy found!", problems);
  return [...known.values()];
}

/** Returns the earliest expiry that these policies set for a key created now, in Unix seconds; 0 for never. */
export function expiryOf(policies: readonly KnownPolicy[], now: number = Date.now()): number {
  const seconds = policies.flatMap(({ key_expires_in: period = 0 }) => (period > 0 ? [period] : []));
  return seconds.length === 0 ? 0 : Math.floor(now / 1000) + Math.min(...seconds);
}
