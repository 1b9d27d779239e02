// Policies in the store.

import { readPolicy } from "../../keys/stored-records.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store } from "../../store/store.ts";
import type { Policy } from "../generated/policy.ts";

/** One policy; rejects with `notFound`. */
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
  return parsePolicy(row);
}

/** Makes a policy and gives its id; rejects with 409 where the name is taken, with 422 where a pattern is not one. */
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

/** Puts a policy in the place of another; rejects as `createPolicy` does, and with `notFound`. */
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

/** Deletes a policy; rejects with 404. */
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

function parsePolicy({ record }: { readonly record: string }): Policy {
  return JSON.parse(record);
}

/** The text to keep. What a gateway could not read must not get in: all keys with it would be locked. */
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
