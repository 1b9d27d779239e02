// An API in the catalogue of the organisation's portal, which keeps it in the same store.

import type { Transaction } from "kysely";
import { type CatalogueEntry, changeCatalogue } from "../../runtime/portal/documents/documents.ts";
import { problemsOfPolicies } from "../../runtime/portal/policies/known-policies.ts";
import type { Logger } from "../../runtime/process/log.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { StoreAddress } from "../../runtime/store/address.ts";
import { openStore } from "../../runtime/store/store.ts";
import type { Tables } from "../../runtime/store/tables.ts";
import { noteChange } from "../audit/audit.ts";
import type { Offer } from "../generated/offer.ts";
import type { Writing } from "../store/open.ts";
import type { ManagementStore } from "../store/tables.ts";

/** Makes the tables of the portal where there are none: it may not have been started yet. */
async function preparePortal(address: StoreAddress, log: Logger): Promise<void> {
  const store = await openStore(address, log);
  await store.close();
}

const prepared = new WeakMap<ManagementStore, Promise<void>>();

/**
 * Puts an API into the catalogue, in place of what that says of the same API and policy. What the offer leaves out stays as
 * it is there; of a new entry it is the name of the API, and that it is shown. Gives what is wrong with the policy as far as
 * the store has policies: those of `gateway.yaml` are known to its gateway alone.
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
    prepared.delete(store); // the next one tries again
    throw error;
  });
  return store.transact(async (connection) => {
    // Counts the change first: other publishers wait here.
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

/** The tables of both are in one database. */
function asPortal(connection: Writing): Transaction<Tables> {
  return connection as Transaction<unknown> as Transaction<Tables>;
}
