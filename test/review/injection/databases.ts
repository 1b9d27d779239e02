// What PostgreSQL and SQLite contain after the campaign: rows with the values of messages, and nothing else.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Observers } from "./observers.ts";

/** The addresses of the databases, and the function that receives their rows. */
export interface DatabasesOptions extends Pick<Observers, "note"> {
  readonly postgres: string;
  /** The folder of the SQLite file. */
  readonly folder: string;
  readonly mark: string;
}

/** The databases as another client sees them. */
export interface ObservedDatabases {
  /** Reports each row once. */
  noteRows(): Promise<void>;
  /** Returns changes by statements that no message should have made. */
  changes(): Promise<readonly string[]>;
  /** Reports rows that a query for `name` should not have found. */
  judgeRows(rows: string, name: string): void;
  close(): Promise<void>;
}

const guarded = "guarded";

/** Creates the tables of PostgreSQL; the gateway creates that of SQLite. */
export async function observeDatabases({
  postgres,
  folder,
  mark,
  note,
}: DatabasesOptions): Promise<ObservedDatabases> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  await client.query(`CREATE TABLE ${mark}_places (id TEXT PRIMARY KEY, value TEXT NOT NULL)`);
  await client.query(`CREATE TABLE ${mark}_guarded (name TEXT NOT NULL)`);
  await client.query(`INSERT INTO ${mark}_guarded VALUES ('${guarded}'), ('another'), ('')`);
  let file: DatabaseSync | undefined;
  const sqlite = () => {
    file ??= new DatabaseSync(join(folder, "places.db"), { timeout: 5000 });
    return file;
  };
  const noted = new Set<string>();
  const noteAll = (connector: string, rows: readonly Record<string, unknown>[]) => {
    for (const { id, value } of rows) {
      if (noted.has(`${connector} ${id}`)) continue;
      noted.add(`${connector} ${id}`);
      note(connector, "", JSON.stringify({ mark, id }), { value: String(value) });
    }
  };
  const tablesOf = async () => {
    const { rows } = await client.query(
      "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE $1 ORDER BY 1",
      [`${mark}%`],
    );
    const own = sqlite().prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1").all();
    return [...rows, ...own].map(({ name }) => String(name));
  };
  return {
    async noteRows() {
      noteAll("sql_insert", (await client.query(`SELECT id, value FROM ${mark}_places`)).rows);
      noteAll("sql_raw", sqlite().prepare("SELECT id, value FROM places").all());
    },
    async changes() {
      const { rows } = await client.query(`SELECT name FROM ${mark}_guarded ORDER BY name`);
      const names = JSON.stringify(rows.map(({ name }) => name));
      const tables = (await tablesOf()).join(" ");
      return [
        ...(names === JSON.stringify(["", "another", guarded]) ? [] : [`the guarded rows are ${names}`]),
        ...(tables === `${mark}_guarded ${mark}_places places` ? [] : [`the tables are ${tables}`]),
      ];
    },
    judgeRows(rows, name) {
      const expected = JSON.stringify(name === guarded ? [{ name }] : []);
      if (rows !== expected) note("sql_select", "", JSON.stringify({ mark, id: `other rows: ${rows}` }), {});
    },
    async close() {
      file?.close();
      await client.end();
    },
  };
}
