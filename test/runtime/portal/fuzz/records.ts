// Reads the whole content of a store, and creates initial records of an organisation.

import { sql } from "kysely";
import { createIdentifier } from "../../../../runtime/store/identifiers.ts";
import type { Store } from "../../../../runtime/store/store.ts";

/** A row, with the columns that most rows have. */
export interface Row {
  readonly [column: string]: unknown;
  readonly org_id?: string;
  readonly id?: string;
}

/** All rows by table. */
export type Dump = ReadonlyMap<string, readonly Row[]>;

/** Tables that deliveries write even if no request is sent. */
const written = /^webhook_(?:deliveries|dead_deliveries|events|positions|queues|wanted_events)$/;

/** Returns every row of every table that only operations write. */
export function dump(store: Store): Promise<Dump> {
  return store.read(async (connection) => {
    const tables = await connection.introspection.getTables();
    const names = tables.map(({ name }) => name).filter((name) => !written.test(name));
    const entries = [];
    for (const name of names.toSorted()) {
      const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(connection);
      entries.push([
        name,
        rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ] as const);
    }
    return new Map(entries);
  });
}

/** Returns the rows of an organisation. */
export function rowsOf(rows: Dump, organisation: string): readonly Row[] {
  return [...rows.values()].flat().filter((row) => row.org_id === organisation);
}

/** Returns a text that is in every record created here for an organisation, and in no record of another. */
export function markOf(organisation: string): string {
  return `only-${organisation}-may-read-this`;
}

/**
 * Creates for an organisation: a developer in a team, a policy, an app, and a catalogue that offers the policy as a
 * product with webhooks.
 */
export async function seed(store: Store, organisation: string): Promise<void> {
  const mark = markOf(organisation);
  const [developer, policy] = [createIdentifier(), createIdentifier()];
  const created = "2026-01-01T00:00:00.000Z";
  const own = { org_id: organisation };
  const email = `${mark}@example.com`;
  const entries = [
    {
      policy_id: policy,
      name: mark,
      show: true,
      auth_type: "authToken",
      webhooks: { enabled: true, events: ["made"] },
    },
  ];
  await store.transact(async (connection) => {
    await connection
      .insertInto("portal_developers")
      .values({
        ...own,
        id: developer,
        email,
        sso_key: null,
        date_created: created,
        record: JSON.stringify({
          ...own,
          id: developer,
          email,
          date_created: created,
          inactive: false,
          fields: { mark },
        }),
      })
      .execute();
    const team = createIdentifier();
    const named = { ...own, id: team, name: mark, date_created: created, inactive: false };
    await connection
      .insertInto("portal_developers")
      .values({
        ...own,
        id: team,
        is_team: 1,
        email: `team:${mark}`,
        sso_key: null,
        date_created: created,
        record: JSON.stringify(named),
      })
      .execute();
    await connection
      .insertInto("portal_team_members")
      .values({ ...own, team_id: team, developer_id: developer, role: "owner" })
      .execute();
    await connection
      .insertInto("policies")
      .values({ ...own, id: policy, name: mark, record: JSON.stringify({ ...own, id: policy, name: mark }) })
      .execute();
    const app = createIdentifier();
    await connection
      .insertInto("portal_apps")
      .values({
        ...own,
        id: app,
        developer_id: developer,
        record: JSON.stringify({
          ...own,
          id: app,
          name: mark,
          by_user: developer,
          products: [policy],
          date_created: created,
        }),
      })
      .execute();
    const id = createIdentifier();
    await connection
      .insertInto("portal_documents")
      .values({ ...own, kind: "catalogue", id, record: JSON.stringify({ ...own, id, apis: entries }) })
      .execute();
  });
}
