// The guarantees of a store, on both databases.

import { sql } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { createLogger, type Logger } from "../../../runtime/process/log.ts";
import { parseStoreAddress, type StoreAddress } from "../../../runtime/store/address.ts";
import { isDuplicate } from "../../../runtime/store/failures.ts";
import { createIdentifier, isIdentifier } from "../../../runtime/store/identifiers.ts";
import { migrations } from "../../../runtime/store/migrate.ts";
import { countChange, openStore, openTables, type Store } from "../../../runtime/store/store.ts";
import type { Tables } from "../../../runtime/store/tables.ts";
import { postgres } from "../../harness/brokers.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { freshDatabase, freshFile } from "./databases.ts";

const log = createLogger("silent");
const server = await postgres();
const databases: Readonly<Record<string, () => Promise<StoreAddress>>> = {
  SQLite: freshFile,
  PostgreSQL: () => freshDatabase(server),
};

async function insertPolicy(store: Store, name: string, id = createIdentifier()): Promise<string> {
  await store.transact(async (connection) => {
    await connection
      .insertInto("policies")
      .values({ id, org_id: "o", name, record: `{"ä":"${name}"}` })
      .execute();
    await countChange(connection, "policies");
  });
  return id;
}

async function names(store: Store): Promise<readonly string[]> {
  const rows = await store.read((connection) =>
    connection.selectFrom("policies").select(["name", "record"]).orderBy("name").execute(),
  );
  for (const { name, record } of rows) assert.equal(JSON.parse(record), { ä: name });
  return rows.map(({ name }) => name);
}

for (const [title, fresh] of Object.entries(databases)) {
  test(`${title}: records survive a restart, and the tables are created once`, async () => {
    const address = await fresh();
    const first = await openStore(address, log);
    await insertPolicy(first, "gold");
    await first.close();
    const second = await openStore(address, log);
    assert.equal(await names(second), ["gold"]);
    await second.close();
  });

  test(`${title}: requests of earlier versions get the names by which they are found`, async () => {
    const address = await fresh();
    const former = await openTables<Tables>(address, log, {
      migrations: migrations.filter(({ name }) => name < "0011"),
      notedIn: "migrations",
    });
    const own = { org_id: "o", date_created: "2026" };
    await former.transact(async (connection) => {
      const apis = [
        { name: "Old", policy_id: "p" },
        { name: "Orders\0", policy_id: "p", version: "v2" },
      ];
      const catalogue = JSON.stringify({ apis });
      await connection
        .insertInto("portal_documents")
        .values({ org_id: "o", kind: "catalogue", id: "c", record: catalogue })
        .execute();
      await connection
        .insertInto("portal_developers")
        .values([
          { ...own, id: "ann", email: "ann@example.com", sso_key: null, record: "{}", is_team: 0 },
          { ...own, id: "crew", email: "team:crew", sso_key: null, record: "{}", is_team: 1 },
        ])
        .execute();
      // Without the columns of later versions, which the types of the tables have.
      const request = (id: string, by_user: string, record: object) => sql`
        insert into portal_requests (id, org_id, by_user, approved, date_created, record)
        values (${id}, 'o', ${by_user}, 0, '2026', ${JSON.stringify(record)})`;
      await request("1", "ann", { apply_policies: ["p", "q"], version: "v2" }).execute(connection);
      await request("2", "crew", { for_plan: "Q", for_api: "A" }).execute(connection);
      await request("3", "gone", { for_api: "A" }).execute(connection);
    });
    await former.close();
    const store = await openStore(address, log);
    const rows = await store.read((connection) =>
      connection
        .selectFrom("portal_requests")
        .select(["name", "owner_name", "words"])
        .orderBy("id")
        .execute(),
    );
    assert.equal(
      rows.map((row) => ({ ...row })),
      [
        { name: "orders\ufffd", owner_name: "ann@example.com", words: "orders\ufffd\np\nq\n" },
        { name: "q", owner_name: "crew", words: "q\nq\na" },
        { name: "a", owner_name: "gone", words: "a\na" },
      ],
    );
    await store.close();
  });

  test(`${title}: several gateways may open an empty store concurrently`, async () => {
    const address = await fresh();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(address, log)));
    await Promise.all(stores.map((store, index) => insertPolicy(store, `p${index}`)));
    for (const store of stores) assert.equal(await names(store), ["p0", "p1", "p2", "p3"]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test(`${title}: a transaction commits as a whole or not at all`, async () => {
    const store = await openStore(await fresh(), log);
    const own = new Error("no");
    const failed = await store
      .transact(async (connection) => {
        await connection
          .insertInto("policies")
          .values({ id: createIdentifier(), org_id: "o", name: "gold", record: "{}" })
          .execute();
        throw own;
      })
      .catch((error: unknown) => error);
    assert.is(failed, own);
    assert.equal(await names(store), []);
    await store.close();
  });

  test(`${title}: unique constraints are enforced, and the failure is reported as a duplicate`, async () => {
    const store = await openStore(await fresh(), log);
    const id = await insertPolicy(store, "gold");
    for (const again of [() => insertPolicy(store, "gold"), () => insertPolicy(store, "silver", id)]) {
      const failed = await again().catch((error: unknown) => error);
      assert.instance(failed, GatewayError);
      assert.ok(failed instanceof GatewayError && isDuplicate(failed.cause));
    }
    assert.is(await store.revision("policies"), 1);
    await store.close();
  });

  test(`${title}: concurrent changes of one row are all applied`, async () => {
    const address = await fresh();
    const stores = await Promise.all([openStore(address, log), openStore(address, log)]);
    const [first, second] = stores;
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => insertPolicy(index % 2 === 0 ? first : second, `p${index}`)),
    );
    assert.equal([await first.revision("policies"), await second.revision("policies")], [40, 40]);
    assert.is(await first.revision("keys"), 0);
    await Promise.all(stores.map((store) => store.close()));
  });

  test(`${title}: a statement without a transaction waits for a transaction of another gateway`, async () => {
    const address = await fresh();
    const stores = await Promise.all([
      openStore(address, log),
      openStore(address, log),
      openStore(address, log),
    ]);
    const [first, second, third] = stores;
    await insertPolicy(first, "gold");
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const other = first.transact(async (connection) => {
      await connection.updateTable("policies").set({ org_id: "p" }).execute();
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    const deletion = second.read((connection) => connection.deleteFrom("policies").execute());
    assert.equal(await names(third), ["gold"]); // meanwhile the deletion was attempted
    end.resolve();
    await Promise.all([other, deletion]);
    assert.equal(await names(first), []);
    await Promise.all(stores.map((store) => store.close()));
  });

  test(`${title}: changes, including those of others, are reported to listeners of their topic only`, async () => {
    const address = await fresh();
    const [own, other] = [await openStore(address, log), await openStore(address, log)];
    const reported: string[] = [];
    const stop = own.onChange(["policies"], () => reported.push("policies"));
    own.onChange(["keys"], () => reported.push("keys"));
    await insertPolicy(own, "a");
    assert.equal(reported, ["policies"], "at once");
    const undone = own.transact(async (connection) => {
      await countChange(connection, "keys");
      throw new Error("undone");
    });
    await undone.catch(() => reported.push("undone"));
    assert.equal(reported, ["policies", "undone"]);
    // The first check for changes finds the change above again.
    await until(() => reported.length === 3);
    await insertPolicy(other, "b");
    await until(() => reported.length === 4);
    assert.equal(reported, ["policies", "undone", "policies", "policies"]);
    stop();
    await other.transact(async (connection) => {
      await countChange(connection, "policies");
      await countChange(connection, "keys");
    });
    await until(() => reported.length === 5);
    assert.is(reported[4], "keys");
    await Promise.all([own.close(), other.close()]);
  });

  test(`${title}: of concurrent callers that take one request, only one succeeds`, async () => {
    const store = await openStore(await fresh(), log);
    const id = createIdentifier();
    const names = { name: "", owner_name: "", words: "" };
    const row = {
      id,
      org_id: "o",
      by_user: "u",
      approved: 0 as const,
      date_created: "",
      record: "{}",
      ...names,
    };
    await store.transact((connection) => connection.insertInto("portal_requests").values(row).execute());
    const take = () =>
      store.transact(async (connection) => {
        const { numUpdatedRows } = await connection
          .updateTable("portal_requests")
          .set({ approved: 1 })
          .where("id", "=", id)
          .where("approved", "=", 0)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      });
    const taken = await Promise.all(Array.from({ length: 8 }, take));
    assert.equal(taken.toSorted(), [0, 0, 0, 0, 0, 0, 0, 1]);
    await store.close();
  });
}

test("addresses are parsed, and invalid ones are not quoted", () => {
  assert.equal(parseStoreAddress("sqlite:./gateway.db"), { kind: "sqlite", file: "./gateway.db" });
  assert.equal(parseStoreAddress("sqlite:///var/a.db"), { kind: "sqlite", file: "/var/a.db" });
  assert.equal(parseStoreAddress("postgresql://u:p@h/d").kind, "postgres");
  for (const text of ["", "sqlite:", "mysql://u:secret@h/d", "postgres:secret", "gateway.db"]) {
    assert.throws(
      () => parseStoreAddress(text),
      (error: Error) => !error.message.includes("secret"),
      text,
    );
  }
});

test("an unreachable store is reported, and nothing stays open", async () => {
  const nowhere = [`postgres://u@127.0.0.1:${await freePort()}/d`, "sqlite:/nowhere/at/all/gateway.db"];
  for (const text of nowhere) {
    const failed = await openStore(parseStoreAddress(text), log).catch((error: unknown) => error);
    assert.ok(failed instanceof GatewayError && failed.status === 503, text);
  }
});

test("a statement that PostgreSQL aborts fails, and the next one uses another connection", async () => {
  const { store, proxy } = await behindProxy();
  assert.equal(await names(store), []);
  proxy.hold();
  const asked = [names(store), names(store)].map((reading) => reading.catch((error: unknown) => error));
  await until(() => proxy.connections === 3, { what: "the second of two connections at once" });
  proxy.reset();
  for (const error of await Promise.all(asked))
    assert.ok(error instanceof GatewayError && error.status === 503);
  proxy.release();
  assert.equal(await names(store), []);
  await store.close();
  await proxy.close();
});

test("a statement that PostgreSQL does not answer times out, and the next one uses another connection", async () => {
  const { store, proxy } = await behindProxy();
  assert.equal(await names(store), []);
  proxy.freeze();
  const started = performance.now();
  const error = await insertPolicy(store, "gold").catch((failure: unknown) => failure);
  assert.ok(error instanceof GatewayError && error.status === 503, String(error));
  assert.ok(performance.now() - started < 20_000, "one time for all of the transaction");
  await insertPolicy(store, "silver");
  assert.equal(await names(store), ["silver"]);
  await store.close();
  await proxy.close();
});

test("an unresponsive PostgreSQL does not keep the store from closing", async () => {
  const { store, proxy } = await behindProxy();
  proxy.hold();
  const asked = names(store).catch((error: unknown) => error);
  await until(() => proxy.connections === 2);
  const started = performance.now();
  await store.close();
  assert.ok(performance.now() - started < 5_000);
  await proxy.close();
  assert.instance(await asked, GatewayError);
});

test("a PostgreSQL that accepts connections and does not answer is away before its statements time out", async () => {
  const reported: string[] = [];
  const ignore = () => undefined;
  const note = (text: string, fields?: { readonly error?: unknown }) =>
    void reported.push([text, ...(fields?.error === undefined ? [] : [String(fields.error)])].join(": "));
  const noting: Logger = { debug: ignore, info: note, warn: note, error: ignore, with: () => noting };
  const { store, proxy } = await behindProxy(noting);
  store.onChange(["keys"], () => undefined);
  proxy.hold();
  await until(() => store.unreachableSince !== undefined, { what: "the store to be away" });
  proxy.release();
  await until(() => store.unreachableSince === undefined, { what: "the store to respond again" });
  const away = "store unreachable: Error: two polls for changes got no response within 2500 ms";
  assert.equal(reported.slice(-2), [away, "store reachable again"]);
  await store.close();
  await proxy.close();
});

/** Opens a store in PostgreSQL behind a proxy. */
async function behindProxy(logger = log) {
  const address = await freshDatabase(server);
  const url = new URL(address.kind === "postgres" ? address.url : "");
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return { store: await openStore(parseStoreAddress(url.href), logger), proxy };
}

test("identifiers are unique and increase with time", () => {
  const ids = Array.from({ length: 1000 }, () => createIdentifier());
  assert.is(new Set(ids).size, 1000);
  assert.ok(ids.every(isIdentifier));
  assert.ok(createIdentifier(1_000) < createIdentifier(2_000));
  assert.ok(createIdentifier(1_999) < createIdentifier(2_000));
  assert.ok(createIdentifier(1_015) < createIdentifier(1_016));
});

test("the server stops", () => server.stop());

test.run();
