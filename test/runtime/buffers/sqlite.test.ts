import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sqliteBuffer } from "../../../runtime/buffers/sqlite.ts";
import { bufferedInput } from "../../../runtime/connectors/buffered/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { metadataText } from "../../../runtime/message/metadata.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { splitBatch } from "../../../runtime/processors/batch-parts.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, inputContext } from "../connectors/contexts.ts";
import { givenInput } from "../connectors/given.ts";

type Options = Parameters<typeof sqliteBuffer>[0];

/** A stream whose input has the buffer behind it. */
async function open(options: Options) {
  const child = givenInput();
  const stopping = new AbortController();
  const context = { ...inputContext(), signal: stopping.signal };
  const input = bufferedInput({ child, buffer: sqliteBuffer(options) });
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

test("sqlite: a batch is acknowledged once it is kept, and delivered as it was written, in order", async () => {
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

test("sqlite: what a closed buffer has not delivered goes to the next one", async () => {
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

test("sqlite: a failed delivery is repeated", async () => {
  const { input, context, deliver } = await open({ path: newFile() });
  await deliver("a");
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  const again = await context.deliveries.next();
  assert.is(again.text, "a");
  again.confirm();
  await input.close();
});

test("sqlite: what is delivered and cannot be removed yet is not delivered again", async () => {
  const path = newFile();
  const { input, context, deliver } = await open({ path });
  const other = new DatabaseSync(path);
  // What a full disk does to each statement that writes.
  other.exec(
    "CREATE TRIGGER full BEFORE DELETE ON kept_batches BEGIN SELECT RAISE(FAIL, 'the disk is full'); END",
  );
  await deliver("a");
  (await context.deliveries.next()).confirm();
  await until(() => context.lines.some(({ message }) => message.startsWith("delivered messages cannot be")));
  await deliver("b");
  (await context.deliveries.next()).confirm();
  const left = () => other.prepare("SELECT count(*) AS n FROM kept_batches").get()?.n;
  assert.is(left(), 2);
  other.exec("DROP TRIGGER full");
  await until(() => left() === 0);
  assert.equal(
    context.deliveries.all.map(({ text }) => text),
    ["a", "b"],
  );
  other.close();
  await input.close();
});

test("sqlite: processors run before a batch is kept and before it is delivered", async () => {
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

test("sqlite: batches of a process that was killed are delivered by the next one", async () => {
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

test("sqlite: a file that cannot be opened, or is none of a database, keeps nothing", async () => {
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
