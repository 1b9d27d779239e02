import { notFound } from "../../rest/answers.ts";
import type { StoreConnection } from "../../store/store.ts";
import type { App } from "../generated/app.ts";

/** Returns an app; rejects with `notFound` if it does not exist. */
export async function getApp(connection: StoreConnection, organisation: string, id: string): Promise<App> {
  const row = await connection
    .selectFrom("portal_apps")
    .select("record")
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return readApp(row);
}

/** Returns the app in a row. */
export function readApp({ record }: { readonly record: string }): App {
  return JSON.parse(record);
}
