// Leases in PostgreSQL: a row with an expiry by the server's clock.

import { type Kysely, sql, type Transaction } from "kysely";
import type { LeaseSetting } from "../component/gateway-scope.ts";
import { EnvironmentError } from "../process/environment.ts";
import { parseStoreAddress } from "../store/address.ts";
import type { Migration } from "../store/migrations/migration.ts";
import { openTables } from "../store/store.ts";
import { type LeaseOptions, type LeaseStore, leaseSetting } from "./lease-store.ts";

/** `leases` of `gateway.yaml`, with a PostgreSQL address. */
export interface PostgresLeaseOptions extends LeaseOptions {
  readonly postgres: string;
}

type Statements = Kysely<unknown> | Transaction<unknown>;

const leaseTable: Migration = {
  name: "0001-leases",
  async up(connection) {
    await sql`create table sluice_leases (
      name text primary key, holder text not null, fence bigint not null, expires timestamptz not null
    )`.execute(connection);
  },
};

const schema = { migrations: [leaseTable], notedIn: "sluice_lease_migrations" };

/** Leases in the database at `postgres`, in a table that is created if it does not exist. */
export function postgresLeases({ postgres: text, ...options }: PostgresLeaseOptions): LeaseSetting {
  // If the text is missing, the environment has recorded that.
  const address = text === "" ? undefined : parseStoreAddress(text);
  if (address?.kind === "sqlite")
    throw new EnvironmentError(["leases need PostgreSQL; SQLite is not shared"]);
  return leaseSetting(options, async ({ log, term }): Promise<LeaseStore> => {
    if (address === undefined) throw new TypeError("leases without an address are not opened");
    const database = await openTables<unknown>(address, log, schema);
    // `clock_timestamp()` is read after waiting for a lock; the times of the statement and the transaction are older.
    const end = sql`clock_timestamp() + ${term}::int * interval '1 millisecond'`;
    const changes = (statement: (connection: Statements) => Promise<{ numAffectedRows?: bigint }>) =>
      database.read(async (connection) => (await statement(connection)).numAffectedRows === 1n);
    return {
      async acquire(name, holder) {
        const { rows } = await database.read((connection) =>
          sql<{ readonly fence: number }>`
            insert into sluice_leases as held (name, holder, fence, expires) values (${name}, ${holder}, 1, ${end})
            on conflict (name) do update set holder = ${holder}, fence = held.fence + 1, expires = ${end}
            where held.holder = ${holder} or held.expires <= clock_timestamp() returning fence`.execute(
            connection,
          ),
        );
        return rows[0]?.fence;
      },
      renew: (name, holder) =>
        changes((connection) =>
          sql`update sluice_leases set expires = ${end}
            where name = ${name} and holder = ${holder} and expires > clock_timestamp()`.execute(connection),
        ),
      async release(name, holder) {
        await changes((connection) =>
          sql`update sluice_leases set expires = clock_timestamp()
            where name = ${name} and holder = ${holder} and expires > clock_timestamp()`.execute(connection),
        );
      },
      close: () => database.close(),
    };
  });
}
