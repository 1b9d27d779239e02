// Apps of developers and teams in the store.

import { refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store, type StoreTransaction } from "../../store/store.ts";
import { lockOwner } from "../developers/owner-records.ts";
import { readCatalogue } from "../documents/documents.ts";
import type { App } from "../generated/app.ts";
import { deleteWebhooksOf } from "../webhooks/webhooks.ts";
import { getApp, readApp } from "./find-app.ts";
import { checkProducts } from "./products.ts";

/**
 * Returns a page of an organisation's apps, the oldest first: all of them, or those of the developer or team `owner`.
 */
export async function listApps(
  store: Store,
  organisation: string,
  page: Page | undefined,
  owner: string | undefined,
): Promise<Listed<App>> {
  return store.read(async (connection) => {
    const all = connection.selectFrom("portal_apps").where("org_id", "=", organisation);
    const wanted = owner === undefined ? all : all.where("developer_id", "=", owner);
    const { total } = await wanted
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = wanted.select("record").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(rows.map(readApp), total, page);
  });
}

/** Creates an app and returns its id. Rejects with 400 if the owner or a product does not exist. */
export async function createApp(store: Store, organisation: string, app: App): Promise<string> {
  const id = createIdentifier();
  const record = recordOf(app, { id, org_id: organisation, date_created: new Date().toISOString() });
  await store.transact(async (connection) => {
    await check(connection, organisation, app);
    await connection
      .insertInto("portal_apps")
      .values({ id, org_id: organisation, developer_id: app.by_user, record })
      .execute();
  });
  return id;
}

/**
 * Replaces an app. Rejects as `createApp` does, and with `notFound` if the app does not exist. Its webhooks stay, but
 * no longer receive events that the app's products do not offer.
 */
export async function replaceApp(store: Store, organisation: string, id: string, app: App): Promise<void> {
  await store.transact(async (connection) => {
    const { date_created = "" } = await getApp(connection, organisation, id);
    await check(connection, organisation, app);
    await connection
      .updateTable("portal_apps")
      .set({ developer_id: app.by_user, record: recordOf(app, { id, org_id: organisation, date_created }) })
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .execute();
    await countChange(connection, "webhook_subscriptions");
  });
}

/** Deletes an app with its webhooks and their pending deliveries. Rejects with 404 if the app does not exist. */
export async function deleteApp(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const { numDeletedRows } = await connection
      .deleteFrom("portal_apps")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
    await deleteWebhooksOf(connection, organisation, [id]);
  });
}

/** Deletes the apps of an owner, in the transaction that deletes the owner. */
export async function deleteAppsOf(
  connection: StoreTransaction,
  organisation: string,
  owner: string,
): Promise<void> {
  const rows = await connection
    .deleteFrom("portal_apps")
    .where("org_id", "=", organisation)
    .where("developer_id", "=", owner)
    .returning("id")
    .execute();
  await deleteWebhooksOf(
    connection,
    organisation,
    rows.map(({ id }) => id),
  );
}

async function check(connection: StoreTransaction, organisation: string, app: App): Promise<void> {
  if ((await lockOwner(connection, organisation, app.by_user)) === undefined) {
    throw refusal(400, "No developer found!");
  }
  checkProducts(await readCatalogue(connection, organisation), app.products ?? []);
}

function recordOf(app: App, own: Pick<Required<App>, "id" | "org_id" | "date_created">): string {
  const { date_created, ...ids } = own;
  return JSON.stringify({ ...ids, description: "", products: [], fields: {}, ...app, date_created });
}
