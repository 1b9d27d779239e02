import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sqliteBuffer } from "../../../runtime/buffers/sqlite.ts";
import { bufferedInput } from "../../../runtime/connectors/buffered/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { placed, placeOf } from "../../../runtime/failures/place.ts";
import { Message } from "../../../runtime/message/message.ts";
import { metadataText } from "../../../runtime/message/metadata.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { splitBatch } from "../../../runtime/processors/batch-parts.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, inputContext } from "../connectors/contexts.ts";
import { givenInput } from "../connectors/given.ts";

type Options = Parameters<typeof sqliteBuffer>[0];

/** Opens a stream whose input is followed by the buffer. */
async function open(options: Options) {
  const child = givenInput();
  const stopping = new AbortController();
  const context = { ...inputContext(), signal: stopping.signal };
  const buffer = placed(sqliteBuffer(options), "orders.yaml:4", "buffer.sqlite");
  const input = bufferedInput({ child, buffer });
  await input.start(context);
  const write = (batch: readonly Message[]) =>
    child.context?.deliver(batch) ?? Promise.reject(new Error("not started"));
  return {
    input,
    context,
    write,
    deliver: (...texts: string[]) => write(batchOf(...texts)),
    stopping,
    child,
  };
}

const newFile = () => join(temporaryDirectory(), "buffer.db");

test("sqlite: a batch is acknowledged once it is stored, and delivered unchanged and in order", async () => {
  const { input, context, deliver, write } = await open({ path: newFile() });
  const metadata = new Map<string, Value>([
    ["id", 9007199254740993n],
    ["name", "é"],
  ]);
  await write([
    Message.fromBytes(Uint8Array.of(0, 255, 10), metadata).withFailure(new GatewayError(500, "no")),
  ]);
  await deliver("b", "c");
  const [first, second] = await context.deliveries.take(2);
  const [message] = first?.batch ?? [];
  assert.equal([...(message?.bytes() ?? [])], [0, 255, 10]);
  assert.equal(
    [...(message?.metadata ?? [])].map(([name, value]) => [name, metadataText(value)]),
    [
      ["id", "9007199254740993"],
      ["name", "é"],
    ],
  );
  assert.is(message?.failure?.message, "no");
  assert.is(second?.text, "b c");
  first?.confirm();
  second?.confirm();
  await input.close();
});

test("sqlite: undelivered batches of a closed buffer are delivered by the next one", async () => {
  const path = newFile();
  const before = await open({ path });
  await before.deliver("a");
  await before.deliver("b");
  const [first, second] = await before.context.deliveries.take(2);
  second?.confirm();
  const after = await open({ path });
  const closing = before.input.close();
  first?.refuse(new GatewayError(502, "no"));
  await closing;
  const again = await after.context.deliveries.next();
  assert.is(again.text, "a");
  again.confirm();
  await after.input.close();
  const empty = await open({ path });
  await empty.deliver("c");
  const last = await empty.context.deliveries.next();
  assert.is(last.text, "c");
  last.confirm();
  await empty.input.close();
});

test("sqlite: a failed delivery is retried", async () => {
  const { input, context, deliver } = await open({ path: newFile() });
  await deliver("a");
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  const again = await context.deliveries.next();
  assert.is(again.text, "a");
  again.confirm();
  await input.close();
});

test("sqlite: a delivered batch that cannot be removed yet is not delivered again", async () => {
  const path = newFile();
  const { input, context, deliver } = await open({ path });
  const other = new DatabaseSync(path);
  // Fails as each statement that writes does when the disk is full.
  other.exec(
    "CREATE TRIGGER full BEFORE DELETE ON kept_batches BEGIN SELECT RAISE(FAIL, 'the disk is full'); END",
  );
  await deliver("a");
  (await context.deliveries.next()).confirm();
  const reported = () =>
    context.lines.map(({ message, fields }) => [message, fields.reason, fields.detail, fields.at]);
  await until(() => reported().length > 0);
  await deliver("b");
  (await context.deliveries.next()).confirm();
  const left = () => other.prepare("SELECT count(*) AS n FROM kept_batches").get()?.n;
  assert.is(left(), 2);
  other.exec("DROP TRIGGER full");
  await until(() => left() === 0);
  const what = "removing delivered messages from the buffer";
  const detail = "The SQLite file of the buffer cannot be written (the disk is full)";
  assert.equal(reported(), [
    [`${what} fails, trying on`, "unavailable", detail, "orders.yaml:4"],
    [`${what} succeeds again`, undefined, undefined, "orders.yaml:4"],
  ]);
  assert.equal(
    context.deliveries.all.map(({ text }) => text),
    ["a", "b"],
  );
  other.close();
  await input.close();
});

test("sqlite: failed writes and unreadable batches are reported with the buffer and its line", async () => {
  const path = newFile();
  const { input, context, deliver } = await open({ path });
  const other = new DatabaseSync(path);
  other.exec(
    "CREATE TRIGGER full BEFORE INSERT ON kept_batches BEGIN SELECT RAISE(FAIL, 'the disk is full'); END",
  );
  const failure = await deliver("a").catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.equal(placeOf(failure as GatewayError), { component: "buffer.sqlite", at: "orders.yaml:4" });
  // The batch is written, but cannot be read.
  other.exec(`
    DROP TRIGGER full;
    ALTER TABLE kept_messages RENAME TO away;
    CREATE VIEW kept_messages AS SELECT id, batch, json('{') AS content, metadata, failure, attributes FROM away;
    CREATE TRIGGER put INSTEAD OF INSERT ON kept_messages BEGIN
      INSERT INTO away (batch, content, metadata, failure) VALUES (new.batch, new.content, new.metadata, new.failure);
    END`);
  await deliver("b");
  await until(() => context.lines.length > 0);
  const [line] = context.lines;
  assert.is(line?.message, "reading the buffer fails, trying on");
  const { reason, detail, component, at } = line?.fields ?? {};
  assert.equal(
    { reason, detail, component, at },
    {
      ...{ reason: "unavailable", detail: "The SQLite file of the buffer cannot be read (malformed JSON)" },
      ...{ component: "buffer.sqlite", at: "orders.yaml:4" },
    },
  );
  other.exec("DROP VIEW kept_messages; ALTER TABLE away RENAME TO kept_messages");
  (await context.deliveries.next()).confirm();
  other.close();
  await input.close();
  assert.equal(
    context.lines.map(({ message }) => message),
    ["reading the buffer fails, trying on", "reading the buffer succeeds again"],
  );
});

test("sqlite: processors run before a batch is stored and before it is delivered", async () => {
  const { input, context, deliver } = await open({
    path: newFile(),
    pre_processors: [{ process: (batch) => [batch.slice(0, 2)] }],
    post_processors: [splitBatch({ size: 1 })],
  });
  await deliver("a", "b", "c");
  for (const text of ["a", "b"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  await input.close();
});

test("sqlite: batches of a killed process are delivered by the next one", async () => {
  const path = newFile();
  const writer = join(import.meta.dirname, "killed-writer.ts");
  const { signal, stderr } = spawnSync(process.execPath, [...process.execArgv, writer, path]);
  assert.is(signal, "SIGKILL", String(stderr));
  const { input, context } = await open({ path });
  const [first, second] = await context.deliveries.take(2);
  assert.equal([first?.text, second?.text], ["begun", "kept"]);
  first?.confirm();
  second?.confirm();
  await input.close();
});

test("sqlite: request parameters do not become headers, and failures keep whether they are retryable", async () => {
  const path = newFile();
  const { input, context, write } = await open({ path });
  const metadata = new Map<string, Value>([
    ["x-user-id", "admin"],
    ["x-trace", "1"],
  ]);
  const asked = Message.fromBytes(Buffer.from("a"), metadata, undefined, new Set(["x-user-id"]));
  const failures = [new GatewayError(422, "no"), new GatewayError(503, "not now", { retryable: false })];
  await write([asked, ...failures.map((failure) => asked.withFailure(failure)), ...batchOf("b")]);
  const { batch, confirm } = await context.deliveries.next();
  assert.equal(
    batch.map(({ parameters }) => parameters && [...parameters]),
    [["x-user-id"], ["x-user-id"], ["x-user-id"], undefined],
  );
  assert.equal(
    batch.map(({ failure }) => failure && [failure.status, failure.retryable, failure.message]),
    [undefined, [422, false, "no"], [503, false, "not now"], undefined],
  );
  confirm();
  await input.close();
});

test("sqlite: a file of the previous version is read and written", async () => {
  const path = newFile();
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE kept_batches (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT);
    CREATE TABLE kept_messages (
      id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES kept_batches (id) ON DELETE CASCADE,
      content BLOB NOT NULL, metadata TEXT NOT NULL, failure TEXT
    );
    INSERT INTO kept_batches (id, owner) VALUES (1, NULL);
    INSERT INTO kept_messages (batch, content, metadata, failure) VALUES (1, x'61', '{}', 'no');
  `);
  database.close();
  const { input, context, deliver } = await open({ path });
  await deliver("b");
  const [former, next] = await context.deliveries.take(2);
  assert.equal([former?.text, former?.batch[0]?.failure?.status, next?.text], ["a", 500, "b"]);
  former?.confirm();
  next?.confirm();
  await input.close();
});

test("sqlite: batches of an ended process are delivered, also if its process id is in use again", async () => {
  const path = newFile();
  const { input, context, deliver } = await open({ path });
  // A running process whose process id is that of the owner, which ran before another boot.
  const other = process.ppid;
  const database = new DatabaseSync(path);
  const own = database.prepare("INSERT INTO kept_batches (owner) VALUES (?)");
  const add = database.prepare(
    "INSERT INTO kept_messages (batch, content, metadata) VALUES (?, x'61', '{}')",
  );
  const { lastInsertRowid: ended } = own.run(`${other}:run:buffer:1@another-boot`);
  add.run(ended);
  // A batch that the running process owns is not taken over, nor one whose owner has an unknown start time.
  const stat = readFileSync(`/proc/${other}/stat`, "latin1");
  const began = `${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}@${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}`;
  for (const owner of [`${other}:run:buffer:${began}`, `${other}:run:buffer`])
    add.run(own.run(owner).lastInsertRowid);
  await deliver("of the first");
  const next = await open({ path });
  const delivery = await next.context.deliveries.next();
  assert.is(delivery.text, "a");
  delivery.confirm();
  await until(() => database.prepare("SELECT id FROM kept_batches WHERE id = ?").get(ended) === undefined);
  await next.input.close();
  const { left } = database.prepare("SELECT count(*) AS left FROM kept_batches").get() as { left: number };
  assert.is(left, 3);
  database.close();
  (await context.deliveries.next()).confirm();
  await input.close();
});

test("sqlite: a file that cannot be opened or is not a database is an error", async () => {
  const damaged = newFile();
  writeFileSync(damaged, "damaged\n".repeat(1_000));
  for (const path of [join(temporaryDirectory(), "missing", "buffer.db"), damaged]) {
    const failure = await open({ path }).catch((error: unknown) => error);
    assert.match(
      (failure as GatewayError).message,
      /^The SQLite file of the buffer cannot be opened \(.+\)$/,
    );
  }
});

test.run();
