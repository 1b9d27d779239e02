// The texts by which requests are found and sorted. Names are in the catalogue and in the records of owners, of which
// databases know only the JSON. Requests have them in columns, which changes of the catalogue and of owners update.

import { setImmediate as turn } from "node:timers/promises";
import { lockTopic, type StoreTransaction } from "../../store/store.ts";
import { type CatalogueEntry, entriesFor } from "../documents/catalogue-entries.ts";
import type { KeyRequest } from "../generated/key-request.ts";

/** The longest name in a column, in code units: PostgreSQL limits what an index can contain. */
const longest = 200;
/** Requests that are renamed at once. */
const batch = 2000;

/** Returns the ids of the requested policies. */
export function policiesOf({
  apply_policies: list = [],
  for_plan: plan = "",
}: Pick<KeyRequest, "apply_policies" | "for_plan">): readonly string[] {
  if (list.length > 0) return [...new Set(list)];
  return plan === "" ? [] : [plan];
}

/** Returns a text as it is in the columns: in lower case, and without characters that PostgreSQL cannot store. */
export function columnText(text: string): string {
  return text.toLowerCase().toWellFormed().replaceAll("\0", "\ufffd");
}

/** Returns the columns of a request that the catalogue determines. */
export function namesOf(
  request: KeyRequest & { readonly id: string },
  catalogue: readonly CatalogueEntry[],
): { readonly name: string; readonly words: string } {
  const { id, for_api: api = "", version } = request;
  const policies = policiesOf(request);
  const [entry] = entriesFor(catalogue, policies, version);
  const name = columnText(entry?.name || policies.join(", ") || api || id);
  return { name: shortened(name), words: [name, ...[...policies, api].map(columnText)].join("\n") };
}

/** Returns the column with the address of a developer or the name of a team. */
export function ownerColumn(name: string): { readonly owner_name: string } {
  return { owner_name: shortened(columnText(name)) };
}

function shortened(text: string): string {
  return text.slice(0, longest).toWellFormed();
}

/** Updates the names of an organisation's requests after a change of the catalogue, whose topic is locked. */
export async function renameRequests(
  connection: StoreTransaction,
  organisation: string,
  catalogue: readonly CatalogueEntry[],
): Promise<void> {
  for (let last = { date_created: "", id: "" }; ; ) {
    // In the order of an index, so that no batch reads those before it again.
    const { date_created: date, id: former } = last;
    const rows = await connection
      .selectFrom("portal_requests")
      .select(["date_created", "id", "record", "name", "words"])
      .where("org_id", "=", organisation)
      .where((eb) => eb(eb.refTuple("date_created", "id"), ">", eb.tuple(date, former)))
      .orderBy("date_created")
      .orderBy("id")
      .limit(batch)
      .execute();
    const renamed = rows.flatMap(({ id, record, name, words }) => {
      const names = namesOf({ ...JSON.parse(record), id }, catalogue);
      return names.name === name && names.words === words ? [] : [{ id, names }];
    });
    // Many requests are for the same, and have the same names.
    for (const same of Map.groupBy(renamed, ({ names }) => names.words).values()) {
      const [{ names } = { names: {} }] = same;
      await connection
        .updateTable("portal_requests")
        .set(names)
        .where(
          "id",
          "in",
          same.map(({ id }) => id),
        )
        .execute();
    }
    const next = rows.at(-1);
    if (next === undefined) return;
    last = next;
    await turn(); // an embedded database answers without leaving the process to others
  }
}

/** Updates the owner's name in its requests. The owner is locked. */
export async function renameOwner(
  connection: StoreTransaction,
  organisation: string,
  owner: string,
  name: string,
): Promise<void> {
  await lockTopic(connection, "catalogue");
  await connection
    .updateTable("portal_requests")
    .set(ownerColumn(name))
    .where("org_id", "=", organisation)
    .where("by_user", "=", owner)
    .execute();
}
