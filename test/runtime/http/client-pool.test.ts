import { test } from "uvu";
import * as assert from "uvu/assert";
import { ClientPool } from "../../../runtime/clients/client-pool.ts";
import type { PoolClient, PoolMembership, Receipt } from "../../../runtime/component/message-gates.ts";
import { Message } from "../../../runtime/message/message.ts";
import { textOf } from "../gateway/components.ts";

/** A client whose flushes the test controls. */
interface PlayedClient extends PoolClient {
  readonly got: string[];
  readonly membership: PoolMembership;
  ready: boolean;
  ended: boolean;
  /** Whether messages are flushed immediately. */
  flushing: boolean;
  flush(): void;
}

function join(pool: ClientPool, flushing = true): PlayedClient {
  const unflushed: Receipt[] = [];
  const client = {
    got: [] as string[],
    ready: true,
    ended: false,
    flushing,
    isReady: () => client.ready,
    send(message: Message, receipt: Receipt) {
      client.got.push(textOf(message));
      if (client.flushing) receipt.confirm();
      else unflushed.push(receipt);
    },
    flush() {
      for (const receipt of unflushed.splice(0)) receipt.confirm();
    },
    end() {
      client.ended = true;
    },
  };
  const membership = pool.join(client);
  return Object.assign(client, { membership });
}

function write(pool: ClientPool, ...texts: string[]): Promise<string> {
  return pool.write(texts.map((text) => Message.fromText(text))).then(
    () => "confirmed",
    (error: Error) => error.message,
  );
}

test("messages are distributed in strict rotation, also in a burst and within a batch", async () => {
  const pool = new ClientPool();
  const clients = [join(pool, false), join(pool, false), join(pool, false)];
  const writes = [write(pool, "1", "2"), ...["3", "4", "5", "6", "7"].map((text) => write(pool, text))];
  assert.equal(
    clients.map(({ got }) => got.join("")),
    ["147", "25", "36"],
  );
  for (const client of clients) client.flush();
  assert.equal(await Promise.all(writes), Array(6).fill("confirmed"));
});

test("a client that is not ready is skipped and stays in the rotation", async () => {
  const pool = new ClientPool();
  const [a, b, c] = [join(pool), join(pool), join(pool)];
  await write(pool, "1");
  b.ready = false;
  await write(pool, "2", "3", "4");
  b.ready = true;
  b.membership.ready();
  await write(pool, "5", "6", "7");
  assert.equal(
    [a.got, b.got, c.got].map((got) => got.join("")),
    ["135", "6", "247"],
  );
});

test("messages wait in order while no client is ready", async () => {
  const pool = new ClientPool();
  const writes = [write(pool, "1"), write(pool, "2")];
  const client = join(pool);
  assert.equal(await Promise.all(writes), ["confirmed", "confirmed"]);
  assert.equal(client.got, ["1", "2"]);
});

test("undelivered messages of a client go to the next one, in order, before later ones", async () => {
  const pool = new ClientPool();
  const lost = join(pool, false);
  const writes = ["1", "2"].map((text) => write(pool, text));
  lost.ready = false;
  writes.push(write(pool, "3"));
  lost.membership.leave();
  assert.equal(lost.got, ["1", "2"]);
  const next = join(pool);
  assert.equal(await Promise.all(writes), ["confirmed", "confirmed", "confirmed"]);
  assert.equal(next.got, ["1", "2", "3"]);
});

test("a flush reported after the client left acknowledges nothing twice", async () => {
  const pool = new ClientPool();
  const lost = join(pool, false);
  const writing = write(pool, "1");
  lost.membership.leave();
  lost.flush();
  await new Promise(setImmediate);
  const next = join(pool);
  assert.is(await writing, "confirmed");
  assert.equal(next.got, ["1"]);
});

test("the rotation continues when a client joins or leaves", async () => {
  const pool = new ClientPool();
  const [a, b, c] = [join(pool), join(pool), join(pool)];
  await write(pool, "1", "2");
  a.membership.leave();
  await write(pool, "3");
  const d = join(pool);
  await write(pool, "4", "5", "6");
  assert.equal(
    [a.got, b.got, c.got, d.got].map((got) => got.join("")),
    ["1", "25", "36", "4"],
  );
});

test("messages with an outcome each are as if each were written alone", () => {
  const pool = new ClientPool();
  const outcomes: string[] = [];
  const listener = {
    confirm: (index: number) => outcomes.push(`confirmed ${index}`),
    fail: (index: number, error: unknown) => outcomes.push(`${(error as Error).message} ${index}`),
  };
  const writeEach = (...texts: string[]) =>
    pool.writeEach(
      texts.map((text) => Message.fromText(text)),
      listener,
    );
  const batches: number[] = [];
  const single = pool.join({
    isReady: () => true,
    send(_, receipt) {
      batches.push(1);
      receipt.confirm();
    },
    sendBatch: (batch) => batches.push(batch.length),
    end: () => undefined,
  });
  writeEach("1", "2");
  assert.equal(
    [batches, outcomes.splice(0)],
    [
      [1, 1],
      ["confirmed 0", "confirmed 1"],
    ],
  );
  single.leave();
  const lost = join(pool, false);
  writeEach("3", "4");
  lost.membership.leave();
  lost.flush();
  assert.equal(outcomes, []);
  const next = join(pool, false);
  assert.equal(next.got, ["3", "4"]);
  next.flush();
  assert.equal(outcomes.splice(0), ["confirmed 0", "confirmed 1"]);
  pool.close(false);
  writeEach("5");
  assert.equal(outcomes, ["Gateway is closing 0"]);
});

test("demand follows the first and the last client", () => {
  const pool = new ClientPool();
  const seen: boolean[] = [];
  const unsubscribe = pool.onChange(() => seen.push(pool.wanted));
  const [a, b] = [join(pool), join(pool)];
  assert.is(pool.clients, 2);
  a.membership.leave();
  a.membership.leave();
  b.membership.leave();
  assert.equal(seen, [true, false]);
  unsubscribe();
  join(pool);
  assert.is(seen.length, 2);
});

test("release rejects waiting messages only while no client is connected", async () => {
  const pool = new ClientPool();
  const waiting = write(pool, "1");
  pool.release();
  assert.is(await waiting, "No client is connected");
  assert.is(await write(pool, "late"), "No client is connected");
  const client = join(pool);
  client.ready = false;
  const held = write(pool, "2");
  pool.release();
  client.ready = true;
  client.membership.ready();
  assert.is(await held, "confirmed");
});

test("close disconnects clients, rejects waiting messages and lets flushes finish", async () => {
  const pool = new ClientPool();
  const client = join(pool, false);
  const flying = write(pool, "1");
  client.ready = false;
  const waiting = write(pool, "2");
  pool.close(false);
  assert.ok(client.ended);
  assert.is(await waiting, "Gateway is closing");
  client.flush();
  assert.is(await flying, "confirmed");
  assert.is(await write(pool, "3"), "Gateway is closing");
  assert.ok(join(pool).ended);
});

test.run();
