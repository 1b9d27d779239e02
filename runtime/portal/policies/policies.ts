// Policies in the store.

import { readPolicy } from "../../keys/stored-records.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store } from "../../store/store.ts";
import type { Policy } from "../generated/policy.ts";

/** Returns a policy; rejects with `notFound` if it does not exist. */
export async function getPolicy(store: Store, organisation: string, id: string): Promise<Policy> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("policies")
      .select("record")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (row === undefined) throw notFound();
  return JSON.parse(row.record);
}

/**
 * Creates a policy and returns its id. Rejects with 409 if the name is taken, and with 422 if a pattern is not valid.
 */
export async function createPolicy(store: Store, organisation: string, policy: Policy): Promise<string> {
  const id = createIdentifier();
  const record = recordOf({ ...policy, id, org_id: organisation });
  await namedOnce(() =>
    store.transact(async (connection) => {
      await connection
        .insertInto("policies")
        .values({ id, org_id: organisation, name: policy.name, record })
        .execute();
      await countChange(connection, "policies");
    }),
  );
  return id;
}

/** Replaces a policy. Rejects as `createPolicy` does, and with `notFound` if the policy does not exist. */
export async function replacePolicy(
  store: Store,
  organisation: string,
  id: string,
  policy: Policy,
): Promise<void> {
  const record = recordOf({ ...policy, id, org_id: organisation });
  await namedOnce(() =>
    store.transact(async (connection) => {
      const { numUpdatedRows } = await connection
        .updateTable("policies")
        .set({ name: policy.name, record })
        .where("id", "=", id)
        .where("org_id", "=", organisation)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw notFound();
      await countChange(connection, "policies");
    }),
  );
}

/** Deletes a policy. Rejects with 404 if it does not exist. */
export async function deletePolicy(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const { numDeletedRows } = await connection
      .deleteFrom("policies")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
    await countChange(connection, "policies");
  });
}

/** Returns the text to store. Throws 422 if gateways could not read it, because all keys with the policy would fail. */
function recordOf(policy: Policy): string {
  const text = JSON.stringify(policy);
  try {
    readPolicy(text);
  } catch (error) {
    if (error instanceof EnvironmentError)
      throw refusal(422, "Policy object validation failed.", error.problems);
    throw error;
  }
  return text;
}

function namedOnce(work: () => Promise<void>): Promise<void> {
  return refuseDuplicate("This policy name has already been used.", work);
}
