// Policies in the store.

import { readPolicy } from "../../keys/stored-records.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { refuseUnlessMatching, tagOf } from "../../rest/entity-tags.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store, type StoreConnection } from "../../store/store.ts";
import type { Policy } from "../generated/policy.ts";

/** Returns a policy and its entity tag; rejects with `notFound` if it does not exist. */
export async function getPolicy(
  store: Store,
  organisation: string,
  id: string,
): Promise<{ readonly policy: Policy; readonly etag: string }> {
  const record = await store.read((connection) => readRecord(connection, organisation, id));
  return { policy: JSON.parse(record), etag: tagOf(record) };
}

async function readRecord(connection: StoreConnection, organisation: string, id: string): Promise<string> {
  const row = await connection
    .selectFrom("policies")
    .select("record")
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return row.record;
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

/**
 * Replaces a policy. Rejects as `createPolicy` does, with `notFound` if the policy does not exist, and with 412 if the
 * entity tags of `ifMatch` do not contain that of the stored one.
 */
export async function replacePolicy(
  store: Store,
  organisation: string,
  id: string,
  policy: Policy,
  ifMatch: string | undefined,
): Promise<void> {
  const record = recordOf({ ...policy, id, org_id: organisation });
  await namedOnce(() =>
    store.transact(async (connection) => {
      const own = connection.updateTable("policies").where("id", "=", id).where("org_id", "=", organisation);
      // Changes nothing, but locks the row, so that concurrent changes wait until this transaction ends.
      await own.set(({ ref }) => ({ record: ref("record") })).execute();
      const former = await readRecord(connection, organisation, id);
      refuseUnlessMatching(ifMatch, former, "policy");
      await own.set({ name: policy.name, record }).execute();
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
