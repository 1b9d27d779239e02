// Publishes an API in the catalogue of the organisation's portal, which uses the same store.

import type { Transaction } from "kysely";
import type { CatalogueEntry } from "../../runtime/portal/documents/catalogue-entries.ts";
import { changeCatalogue } from "../../runtime/portal/documents/documents.ts";
import { problemsOfPolicies } from "../../runtime/portal/policies/known-policies.ts";
import type { Logger } from "../../runtime/process/log.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { StoreAddress } from "../../runtime/store/address.ts";
import { openStore } from "../../runtime/store/store.ts";
import type { Tables } from "../../runtime/store/tables.ts";
import { noteChange } from "../audit/audit.ts";
import type { Offer } from "../generated/offer.ts";
import type { ManagementTransaction } from "../store/open.ts";
import type { ManagementStore } from "../store/tables.ts";

/** Creates the tables of the portal if they do not exist, because the portal may not have been started yet. */
async function preparePortal(address: StoreAddress, log: Logger): Promise<void> {
  const store = await openStore(address, log);
  await store.close();
}

const prepared = new WeakMap<ManagementStore, Promise<void>>();

/**
 * Adds an API to the catalogue, or updates the entry with the same API and policy. Fields that the offer omits keep
 * their value; a new entry gets the API's name and is shown. Returns the problems with the policy, as far as the store
 * has policies: only the portal's gateway knows those of its `gateway.yaml`.
 */
export async function publishApi(
  {
    store,
    address,
    log,
  }: { readonly store: ManagementStore; readonly address: StoreAddress; readonly log: Logger },
  caller: RestCaller,
  api: { readonly id: string; readonly name: string },
  offer: Offer,
): Promise<readonly string[]> {
  const ready = prepared.get(store) ?? preparePortal(address, log);
  prepared.set(store, ready);
  await ready.catch((error: unknown) => {
    prepared.delete(store); // the next call retries
    throw error;
  });
  return store.transact(async (connection) => {
    // Record the change first: other publishers wait here.
    const change = { action: "publishStreamApi", object: api.id, detail: offer.policy_id };
    await noteChange(connection, caller, change, new Date().toISOString());
    await changeCatalogue(asPortal(connection), caller.organisation, (entries) => {
      const isSame = (each: CatalogueEntry) => each.api_id === api.id && each.policy_id === offer.policy_id;
      const fresh = { name: api.name, show: true, version: "v2", api_id: api.id };
      const former = entries.find(isSame);
      const entry = { ...(former ?? fresh), ...offer };
      return former === undefined
        ? [...entries, entry]
        : entries.map((each) => (each === former ? entry : each));
    });
    const named = [{ field: "policy_id", id: offer.policy_id }];
    return problemsOfPolicies(asPortal(connection), new Map(), caller.organisation, named);
  });
}

/** Returns the connection with the types of the portal's tables, which are in the same database. */
function asPortal(connection: ManagementTransaction): Transaction<Tables> {
  return connection as Transaction<unknown> as Transaction<Tables>;
}
