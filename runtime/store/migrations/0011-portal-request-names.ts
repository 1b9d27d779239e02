import { sql, type Transaction } from "kysely";
import type { Migration } from "./migration.ts";

/** The tables that this step reads and writes, as they are in this version. */
interface Known {
  portal_requests: {
    id: string;
    org_id: string;
    by_user: string;
    record: string;
    name: string;
    owner_name: string;
    words: string;
  };
  portal_developers: { id: string; email: string };
  portal_documents: { org_id: string; kind: string; record: string };
}

/** Rows that are read at once. */
const batch = 500;

/** The columns by which requests are found and sorted, with the names that the catalogue and the owners have now. */
export const portalRequestNames: Migration = {
  name: "0011-portal-request-names",
  async up(connection, kind) {
    const { schema } = connection;
    // The order of code points, as in SQLite, whatever the language of the server.
    const text = kind === "postgres" ? sql`text collate "C"` : "text";
    for (const column of ["name", "owner_name", "words"]) {
      await schema
        .alterTable("portal_requests")
        .addColumn(column, text, (each) => each.notNull().defaultTo(""))
        .execute();
    }
    await fill(connection as Transaction<unknown> as Transaction<Known>);
    for (const column of ["name", "owner_name"]) {
      await schema
        .createIndex(`portal_requests_by_${column}`)
        .on("portal_requests")
        .columns(["org_id", column, "date_created", "id"])
        .execute();
    }
  },
};

async function fill(connection: Transaction<Known>): Promise<void> {
  const catalogues = await connection
    .selectFrom("portal_documents")
    .select(["org_id", "record"])
    .where("kind", "=", "catalogue")
    .execute();
  const entries = new Map(catalogues.map(({ org_id: id, record }) => [id, JSON.parse(record).apis ?? []]));
  for (let after = ""; ; ) {
    const rows = await connection
      .selectFrom("portal_requests")
      .leftJoin("portal_developers", "portal_developers.id", "portal_requests.by_user")
      .select(["portal_requests.id", "portal_requests.org_id", "by_user", "portal_requests.record", "email"])
      .where("portal_requests.id", ">", after)
      .orderBy("portal_requests.id")
      .limit(batch)
      .execute();
    for (const { id, org_id: organisation, by_user: user, record, email } of rows) {
      await connection
        .updateTable("portal_requests")
        .set({
          ...namesOf(id, JSON.parse(record), entries.get(organisation) ?? []),
          owner_name: shortened(columnText((email ?? user).replace(/^team:/, ""))),
        })
        .where("id", "=", id)
        .execute();
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** The fields of a request and of an entry of a catalogue that name a request. */
interface Naming {
  readonly apply_policies?: readonly string[];
  readonly for_plan?: string;
  readonly for_api?: string;
  readonly version?: string;
}
interface Entry {
  readonly name?: string;
  readonly policy_id?: string;
  readonly version?: string;
}

function namesOf(id: string, request: Naming, catalogue: readonly Entry[]) {
  const { apply_policies: list = [], for_plan: plan = "", for_api: api = "", version } = request;
  const policies = list.length > 0 ? [...new Set(list)] : plan === "" ? [] : [plan];
  const found = catalogue.filter(
    ({ policy_id: policy }) => policy !== undefined && policies.includes(policy),
  );
  const entry = found.find((each) => each.version === version) ?? found[0];
  const name = columnText(entry?.name || policies.join(", ") || api || id);
  return { name: shortened(name), words: [name, ...[...policies, api].map(columnText)].join("\n") };
}

function columnText(text: string): string {
  return text.toLowerCase().toWellFormed().replaceAll("\0", "\ufffd");
}

function shortened(text: string): string {
  return text.slice(0, 200).toWellFormed();
}
