// Deleting a developer, with everything that is only there because of it.

import { refusal } from "../../rest/answers.ts";
import type { Store } from "../../store/store.ts";
import { deleteAppsOf } from "../apps/apps.ts";
import { deleteCredentials } from "./credentials-of.ts";
import { lockDeveloper } from "./developer-records.ts";

/**
 * Deletes a developer with its keys, OAuth clients, requests, and apps with their subscriptions, in one transaction: none
 * of its credentials works any more, nothing of the person stays. Rejects with 404.
 */
export async function deleteDeveloper(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined) throw refusal(404, "Could not retrieve object for deletion");
    await deleteCredentials(connection, organisation, developer);
    await connection
      .deleteFrom("portal_requests")
      .where("org_id", "=", organisation)
      .where("by_user", "=", id)
      .execute();
    await deleteAppsOf(connection, organisation, id);
    await connection.deleteFrom("portal_developers").where("id", "=", id).execute();
  });
}
