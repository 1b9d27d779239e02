// Both databases a store can be in, each empty.

import { join } from "node:path";
import pg from "pg";
import { parseStoreAddress, type StoreAddress } from "../../../runtime/store/address.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { unique } from "../../harness/names.ts";

/** A file of its own. */
export async function freshFile(): Promise<StoreAddress> {
  return parseStoreAddress(`sqlite:${join(temporaryDirectory("store"), "gateway.db")}`);
}

/** A database of its own in that PostgreSQL. */
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

/** Started by the first test that needs it. */
let server: Promise<Broker> | undefined;

/** Both databases, each empty. */
export const databases: Readonly<Record<string, () => Promise<StoreAddress>>> = {
  SQLite: freshFile,
  PostgreSQL: async () => {
    server ??= postgres();
    return freshDatabase(await server);
  },
};
