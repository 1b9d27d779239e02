import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../runtime/process/log.ts";
import { parseStoreAddress } from "../../runtime/store/address.ts";
import { migrate, migrations } from "../../runtime/store/migrate.ts";
import { sqliteDialect } from "../../runtime/store/sqlite.ts";
import { openStore, type Store } from "../../runtime/store/store.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { warmSluice } from "../harness/sluice.ts";

const log = createLogger("silent");
const folder = temporaryDirectory("store");
const at = (name: string) => join(folder, name);

/** Creates a store of the previous version: with every migration but the latest, and a policy. */
async function olderStore(file: string): Promise<void> {
  const database = new Kysely<unknown>({ dialect: sqliteDialect(file) });
  await migrate(database, "sqlite", { migrations: migrations.slice(0, -1), notedIn: "migrations" });
  await database.destroy();
  addPolicy(file, "of the older version");
}

/** Opens a store as the previous version would. */
async function openAsOlder(file: string): Promise<void> {
  const database = new Kysely<unknown>({ dialect: sqliteDialect(file) });
  try {
    await migrate(database, "sqlite", { migrations: migrations.slice(0, -1), notedIn: "migrations" });
  } finally {
    await database.destroy();
  }
}

function addPolicy(file: string, name: string): void {
  const database = new DatabaseSync(file);
  const insert = "insert into policies (id, org_id, name, record) values (?, 'o', ?, '{\"future\":1}')";
  database.prepare(insert).run(name.replaceAll(" ", "-"), name);
  database.close();
}

async function policies(store: Store): Promise<readonly (readonly [string, string])[]> {
  const rows = await store.read((connection) =>
    connection.selectFrom("policies").select(["name", "record"]).orderBy("name").execute(),
  );
  return rows.map(({ name, record }) => [name, record] as const);
}

const open = (file: string) => openStore(parseStoreAddress(`sqlite:${file}`), log);

test("a store is migrated to the next version with its records, and restored from the backup", async () => {
  const [file, copy] = [at("gateway.db"), at("before.db")];
  await olderStore(file);
  const store = { env: { GW_STORE_URL: `sqlite:${file}` } };
  assert.is((await warmSluice(["store", "backup", copy], store)).status, 0);

  const migrated = await warmSluice(["store", "migrate"], store);
  assert.equal([migrated.status, migrated.stdout], [0, `${migrations.at(-1)?.name}\n`], migrated.stderr);
  assert.is((await warmSluice(["store", "migrate"], store)).stderr, "sluice: the store is up to date\n");
  const newer = await open(file);
  assert.equal(await policies(newer), [["of the older version", '{"future":1}']]);
  await newer.close();
  await openAsOlder(file).then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, "its tables were created by a later version"),
  );

  const restored = await warmSluice(["store", "restore", copy, "--replace"], store);
  assert.is(restored.status, 0, restored.stderr);
  await openAsOlder(file);
  const again = await open(file);
  assert.equal(await policies(again), [["of the older version", '{"future":1}']]);
  await again.close();
});

test("a store is backed up during writes, and replaced only when it is not open", async () => {
  const [file, copy] = [at("busy.db"), at("busy-copy.db")];
  const store = await open(file);
  addPolicy(file, "one");
  const writer = new DatabaseSync(file);
  writer.exec(
    "begin immediate; insert into policies (id, org_id, name, record) values ('x', 'o', 'half', '{}')",
  );
  const copied = await warmSluice(["store", "backup", copy, `sqlite:${file}`]);
  assert.is(copied.status, 0, copied.stderr);
  assert.is(statSync(copy).mode & 0o777, 0o600);
  writer.exec("commit");
  writer.close();

  const refused = await warmSluice(["store", "restore", copy, `sqlite:${file}`, "--replace"]);
  assert.is(refused.status, 1);
  assert.match(refused.stderr, "is in use; stop the gateways that have it open");
  assert.equal(
    (await policies(store)).map(([name]) => name),
    ["half", "one"],
  );
  await store.close();

  const kept = await warmSluice(["store", "restore", copy, `sqlite:${file}`]);
  assert.match(kept.stderr, "exists; --replace replaces it");
  assert.is((await warmSluice(["store", "restore", copy, `sqlite:${file}`, "--replace"])).status, 0);
  const restored = await open(file);
  assert.equal(
    (await policies(restored)).map(([name]) => name),
    ["one"],
  );
  await restored.close();
});

test("migrate names a server that cannot be reached, without the password", async () => {
  const address = `postgres://gateway:s3cret@127.0.0.1:${await freePort()}/gateway`;
  const { status, stderr } = await warmSluice(["store", "migrate", address]);
  assert.is(status, 1);
  assert.match(
    stderr,
    /^sluice: the store cannot be migrated: PostgreSQL `127\.0\.0\.1:\d+` unreachable \(connection refused\)\n$/,
  );
  const server = createServer((socket) => socket.once("data", () => socket.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent = await warmSluice([
    "store",
    "migrate",
    `postgres://gateway:s3cret@127.0.0.1:${port}/gateway`,
  ]);
  server.close();
  assert.is(
    silent.stderr,
    "sluice: the store cannot be migrated: PostgreSQL does not respond (Connection terminated unexpectedly)\n",
  );
});

test("refuses to back up or restore files that are not stores", async () => {
  writeFileSync(at("text.db"), "no database, and longer than a header of SQLite would be, by a good deal");
  new DatabaseSync(at("other.db")).exec("create table others (id)");
  await olderStore(at("kept.db"));
  const before = readFileSync(at("kept.db"));
  for (const [name, reason] of [
    ["text.db", "is not a database"],
    ["other.db", "is not the store of a gateway"],
    ["missing.db", "there is no file"],
  ] as const) {
    const copied = await warmSluice(["store", "backup", at("never.db"), `sqlite:${at(name)}`]);
    assert.equal([copied.status, existsSync(at("never.db"))], [1, false]);
    assert.match(copied.stderr, reason);
    const restored = await warmSluice(["store", "restore", at(name), `sqlite:${at("kept.db")}`, "--replace"]);
    assert.is(restored.status, 1);
    assert.equal(readFileSync(at("kept.db")), before);
  }
  const taken = await warmSluice(["store", "backup", at("text.db"), `sqlite:${at("kept.db")}`]);
  assert.match(taken.stderr, "it exists");
  const server = await warmSluice(["store", "backup", at("never.db"), "postgres://a:secret@h/d"]);
  assert.match(server.stderr, "use pg_dump");
  const away = await warmSluice(["store", "migrate", "postgres://a:secret@127.0.0.1:1/d"]);
  assert.is(away.status, 1);
  for (const { stderr } of [server, away]) assert.not.match(stderr, "secret");
  assert.is((await warmSluice(["store", "migrate"], { env: { GW_STORE_URL: "" } })).status, 64);
  const line = "sluice: the store is neither `sqlite:PATH` nor `postgres://…`\n";
  for (const command of [["backup", at("never.db")], ["restore", at("kept.db")], ["migrate"]]) {
    const { status, stderr } = await warmSluice(["store", ...command, "mysql://a:secret@h/d"]);
    assert.equal([status, stderr], [64, line], command[0]);
  }
});

test("a store that cannot be opened is reported with the reason", async () => {
  const nowhere = await warmSluice(["store", "migrate", `sqlite:${at("missing/gateway.db")}`]);
  const reason = "unable to open database file; its folder has to exist and to be writable";
  assert.equal([nowhere.status, nowhere.stderr], [1, `sluice: the store cannot be migrated: ${reason}\n`]);
  const { status, stderr } = await warmSluice(["store", "backup", at("never.db"), `sqlite:${folder}`]);
  assert.equal([status, stderr], [1, `sluice: \`${folder}\`: unable to open database file\n`]);
});

test.run();
