// Creates an empty store in each of the two supported databases.

import { join } from "node:path";
import pg from "pg";
import { parseStoreAddress, type StoreAddress } from "../../../runtime/store/address.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { unique } from "../../harness/names.ts";

/** Returns the address of a new file. */
export async function freshFile(): Promise<StoreAddress> {
  return parseStoreAddress(`sqlite:${join(temporaryDirectory("store"), "gateway.db")}`);
}

/** Creates a new database on a PostgreSQL server. */
export async function freshDatabase(server: Broker): Promise<StoreAddress> {
  const name = unique("store").replaceAll("-", "_");
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server.address);
  url.pathname = name;
  return parseStoreAddress(url.href);
}

/** The server; the first test that needs it starts it. */
let server: Promise<Broker> | undefined;

/** Creates an empty store, for each database. */
export const databases: Readonly<Record<string, () => Promise<StoreAddress>>> = {
  SQLite: freshFile,
  PostgreSQL: async () => {
    server ??= postgres();
    return freshDatabase(await server);
  },
};

/**
 * Returns the databases on which suites of this run test what is on a store: PostgreSQL in the quick run, SQLite in the
 * long one, both if a file runs on its own. `store.postgres.test.ts` always shows that both keep the store's contract.
 */
export function testedDatabases(): readonly (readonly [title: string, fresh: () => Promise<StoreAddress>])[] {
  const only = process.env.SLUICE_TEST_DATABASE;
  return Object.entries(databases).filter(([title]) => only === undefined || only === title);
}
