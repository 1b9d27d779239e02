// Documents of which an organisation has one each: catalogue, configuration, branding and texts of its portal.

import { isDeepStrictEqual } from "node:util";
import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store, type StoreConnection, type StoreTransaction } from "../../store/store.ts";
import { findRepeated } from "../../text/repeated.ts";
import type { Branding } from "../generated/branding.ts";
import type { Catalogue } from "../generated/catalogue.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { Texts } from "../generated/texts.ts";
import { renameRequests } from "../requests/request-names.ts";
import { type CatalogueEntry, namesIn } from "./catalogue-entries.ts";

/** The documents by kind. */
export interface Documents {
  readonly catalogue: Catalogue;
  readonly configuration: Configuration;
  readonly branding: Branding;
  readonly texts: Texts;
}

export type DocumentKind = keyof Documents;

/** Returns a document of an organisation; rejects with `notFound` if there is none. */
export async function getDocument<K extends DocumentKind>(
  store: Store,
  organisation: string,
  kind: K,
): Promise<Documents[K]> {
  const document = await findDocumentOf(store, organisation, kind);
  if (document === undefined) throw notFound();
  return document;
}

/** Returns a document of an organisation; `undefined` if there is none. */
export function findDocumentOf<K extends DocumentKind>(
  store: Store,
  organisation: string,
  kind: K,
): Promise<Documents[K] | undefined> {
  return store.read((connection) => findDocument(connection, organisation, kind));
}

/** Creates a document and returns its id. Rejects with 409 if the organisation already has one. */
export async function createDocument<K extends DocumentKind>(
  store: Store,
  organisation: string,
  kind: K,
  document: Documents[K],
): Promise<string> {
  const id = createIdentifier();
  const record = JSON.stringify({ ...document, id, org_id: organisation });
  await refuseDuplicate(`The organisation has a ${kind} already.`, () =>
    store.transact(async (connection) => {
      if (kind === "catalogue") await countChange(connection, "catalogue");
      await connection
        .insertInto("portal_documents")
        .values({ org_id: organisation, kind, id, record })
        .execute();
      if (kind === "catalogue") await renameByCatalogue(connection, organisation);
    }),
  );
  return id;
}

/** Replaces a document and keeps its id. Rejects with `notFound` if there is none. */
export async function replaceDocument<K extends DocumentKind>(
  store: Store,
  organisation: string,
  kind: K,
  document: Documents[K],
): Promise<void> {
  await store.transact(async (connection) => {
    if (kind === "catalogue") await countChange(connection, "catalogue");
    await lockDocument(connection, organisation, kind);
    const former = await findDocument(connection, organisation, kind);
    if (former === undefined) throw notFound();
    const { id = "" } = former;
    await connection
      .updateTable("portal_documents")
      .set({ record: JSON.stringify({ ...document, id, org_id: organisation }) })
      .where("org_id", "=", organisation)
      .where("kind", "=", kind)
      .execute();
    if (kind === "catalogue") await renameByCatalogue(connection, organisation, former);
  });
}

/** Gives requests the names of the catalogue in the store, if these differ from those of the former one. */
async function renameByCatalogue(
  connection: StoreTransaction,
  organisation: string,
  former: Catalogue = {},
): Promise<void> {
  const entries = await readCatalogue(connection, organisation);
  if (!isDeepStrictEqual(namesIn(former.apis ?? []), namesIn(entries)))
    await renameRequests(connection, organisation, entries);
}

/** Returns the entries of an organisation's catalogue; an empty list if it has no catalogue. */
export async function readCatalogue(
  connection: StoreConnection,
  organisation: string,
): Promise<readonly CatalogueEntry[]> {
  const catalogue = await findDocument(connection, organisation, "catalogue");
  return catalogue?.apis ?? [];
}

/** Replaces the entries of an organisation's catalogue, in a transaction. Creates the catalogue if there is none. */
export async function changeCatalogue(
  connection: StoreTransaction,
  organisation: string,
  change: (entries: readonly CatalogueEntry[]) => readonly CatalogueEntry[],
): Promise<void> {
  const ofCatalogue = { org_id: organisation, kind: "catalogue" } as const;
  await countChange(connection, "catalogue");
  await lockDocument(connection, organisation, "catalogue");
  const former = await findDocument(connection, organisation, "catalogue");
  const { id = createIdentifier(), apis = [], ...rest } = former ?? {};
  const record = JSON.stringify({ ...rest, id, org_id: organisation, apis: change(apis) });
  await connection
    .insertInto("portal_documents")
    .values({ ...ofCatalogue, id, record })
    .onConflict((conflict) => conflict.columns(["org_id", "kind"]).doUpdateSet({ record }))
    .execute();
  await renameByCatalogue(connection, organisation, former);
}

/** Changes nothing, but locks the row, so that concurrent changes wait until this transaction ends. */
async function lockDocument(
  connection: StoreTransaction,
  organisation: string,
  kind: DocumentKind,
): Promise<void> {
  await connection
    .updateTable("portal_documents")
    .set(({ ref }) => ({ record: ref("record") }))
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .execute();
}

/** Returns the configuration of an organisation's portal; empty if there is none. */
export async function readConfiguration(
  connection: StoreConnection,
  organisation: string,
): Promise<Configuration> {
  return (await findDocument(connection, organisation, "configuration")) ?? {};
}

/** The name of a portal that the organisation has not named. */
export const usualPortalName = "Developer portal";

/** Returns the name of an organisation's portal. */
export async function readPortalName(connection: StoreConnection, organisation: string): Promise<string> {
  const { name = "" } = (await findDocument(connection, organisation, "branding")) ?? {};
  return name === "" ? usualPortalName : name;
}

async function findDocument<K extends DocumentKind>(
  connection: StoreConnection,
  organisation: string,
  kind: K,
): Promise<Documents[K] | undefined> {
  const row = await connection
    .selectFrom("portal_documents")
    .select(["id", "record"])
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row && { ...JSON.parse(row.record), id: row.id };
}

/** A page of text. */
type TextPage = NonNullable<Texts["pages"]>[number];

/** Throws 422 if two pages have the same address. */
export function checkTexts({ pages = [] }: Texts): void {
  const slugs = pages.map(({ slug }) => slug);
  const twice = findRepeated(slugs);
  if (twice !== -1)
    throw refusal(422, "Texts object validation failed.", [
      `slug: pages.${twice} has the address of another page`,
    ]);
}

/** Returns the pages that developers see. */
export function shownTexts({ pages = [] }: Texts): readonly TextPage[] {
  return pages.filter(({ show }) => show === true);
}
