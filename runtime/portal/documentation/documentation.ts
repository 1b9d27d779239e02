// Documentation of APIs in the store.

import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store } from "../../store/store.ts";
import type { Documentation } from "../generated/documentation.ts";

/** Returns a page of an organisation's documentation, the oldest first. */
export async function listDocumentation(
  store: Store,
  organisation: string,
  page: Page | undefined,
): Promise<Listed<Documentation>> {
  return store.read(async (connection) => {
    const own = connection.selectFrom("portal_documentation").where("org_id", "=", organisation);
    const { total } = await own
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = own.select("record").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(rows.map(readDocumentation), total, page);
  });
}

/** Returns one document; rejects with `notFound` if it does not exist. */
export async function getDocumentation(
  store: Store,
  organisation: string,
  id: string,
): Promise<Documentation> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("portal_documentation")
      .select("record")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (row === undefined) throw notFound();
  return readDocumentation(row);
}

/** Stores documentation and returns its id. Rejects with 422 if the content is not base64. */
export async function createDocumentation(
  store: Store,
  organisation: string,
  body: Documentation,
): Promise<string> {
  if (!isBase64(body.documentation)) {
    throw refusal(422, "Documentation object validation failed.", ["documentation: must be base64"]);
  }
  const id = createIdentifier();
  const { api_id = "", doc_type = "swagger", documentation } = body;
  const date_created = new Date().toISOString();
  const record = { id, org_id: organisation, api_id, doc_type, documentation, date_created };
  await store.read((connection) =>
    connection
      .insertInto("portal_documentation")
      .values({ id, org_id: organisation, record: JSON.stringify(record) })
      .execute(),
  );
  return id;
}

/** Deletes documentation, even if entries of the catalogue still name it. Rejects with 404 if it does not exist. */
export async function deleteDocumentation(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const { numDeletedRows } = await connection
      .deleteFrom("portal_documentation")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
  });
}

/** Whether a text is canonical base64 with padding. */
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}

function readDocumentation({ record }: { readonly record: string }): Documentation {
  return JSON.parse(record);
}
