import { test } from "uvu";
import * as assert from "uvu/assert";
import { Broadcast } from "../../../runtime/clients/broadcast.ts";
import { resumableBroadcast } from "../../../runtime/clients/resumable-broadcast.ts";
import type { Receipt } from "../../../runtime/component/message-gates.ts";
import { Message } from "../../../runtime/message/message.ts";
import { createRandom } from "../../fuzz/byte-mutator.ts";
import { collectGarbage } from "../../harness/heap.ts";
import { sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { textOf } from "../gateway/components.ts";
import { consuming } from "./consuming.ts";

/** Joins a client whose flushes the test controls. */
function join(broadcast: Broadcast, isFlushing = true) {
  const unflushed: Receipt[] = [];
  const client = {
    got: [] as string[],
    isReady: () => true,
    ended: false,
    send(message: Message, receipt: Receipt) {
      client.got.push(textOf(message));
      if (isFlushing) receipt.confirm();
      else unflushed.push(receipt);
    },
    end() {
      client.ended = true;
    },
  };
  const membership = broadcast.join(client);
  const flush = () => {
    for (const receipt of unflushed.splice(0)) receipt.confirm();
  };
  return Object.assign(client, { membership, flush });
}

/** Records the outcome of a write as soon as it is settled. */
function write(broadcast: Broadcast, ...texts: string[]): { outcome: string } {
  const written = { outcome: "open" };
  broadcast.write(texts.map((text) => Message.fromText(text))).then(
    () => {
      written.outcome = "confirmed";
    },
    (error: Error) => {
      written.outcome = error.message;
    },
  );
  return written;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("every client gets every message, in order", async () => {
  const broadcast = new Broadcast();
  const clients = [join(broadcast), join(broadcast), join(broadcast)];
  const written = write(broadcast, "a", "b");
  await settled();
  assert.is(written.outcome, "confirmed");
  for (const { got } of clients) assert.equal(got, ["a", "b"]);
});

test("a message that a client rejects is redelivered after a pause, behind later ones", async () => {
  const broadcast = new Broadcast();
  const other = join(broadcast);
  const got: string[] = [];
  const refusing = broadcast.join({
    isReady: () => true,
    send(message, receipt) {
      got.push(textOf(message));
      if (got.length < 4) receipt.giveBack();
      else receipt.confirm();
    },
    end: () => undefined,
  });
  const written = write(broadcast, "a", "b");
  await until(() => got.length === 5);
  assert.equal(got, ["a", "b", "a", "b", "a"]);
  await until(() => written.outcome === "confirmed");
  assert.equal(other.got, ["a", "b"]);
  refusing.leave();
});

test("a client that disconnects with rejected messages blocks no other", async () => {
  const broadcast = new Broadcast();
  const other = join(broadcast);
  let given = 0;
  const refusing = broadcast.join({
    isReady: () => true,
    send(_message, receipt) {
      given += 1;
      receipt.giveBack();
    },
    end: () => undefined,
  });
  const written = write(broadcast, "a");
  await until(() => given === 2);
  refusing.leave();
  await settled();
  assert.is(written.outcome, "confirmed");
  assert.equal([other.got, given], [["a"], 2]);
});

test("a client that has left is sent nothing, even if it still seems ready", async () => {
  const broadcast = new Broadcast();
  const [present, left] = [join(broadcast, false), join(broadcast)];
  left.membership.leave();
  const written = write(broadcast, "a");
  await settled();
  left.membership.ready();
  assert.equal([present.got, left.got, written.outcome], [["a"], [], "open"]);
});

test("what all clients have confirmed is not kept behind a message that one never confirms", async () => {
  const broadcast = new Broadcast();
  const [quick, stuck] = [join(broadcast), joinWithRoom(broadcast, false)];
  const size = 100_000;
  stuck.take(1);
  const written = write(broadcast, "a");
  await settled();
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 600; count += 1) {
    const large = Message.fromBytes(Buffer.alloc(size));
    void broadcast.write([large]);
    await settled();
    stuck.take(1);
    stuck.confirm(1);
  }
  // Of the messages behind it, the client has confirmed the last 256 early at most. V8 frees buffers in the background.
  await until(() => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before < 400 * size;
  });
  assert.is(written.outcome, "open");
  const late = join(broadcast);
  stuck.confirm(0);
  await settled();
  assert.equal([written.outcome, quick.got.length, late.got], ["confirmed", 601, []]);
});

test("a message is acknowledged when the last client has it", async () => {
  const broadcast = new Broadcast();
  const [quick, slow] = [join(broadcast), join(broadcast, false)];
  const written = write(broadcast, "a");
  await settled();
  assert.equal([quick.got, slow.got, written.outcome], [["a"], ["a"], "open"]);
  slow.flush();
  await settled();
  assert.is(written.outcome, "confirmed");
});

test("a client that disconnects blocks no other; after the last one, the next client gets its messages", async () => {
  const broadcast = new Broadcast();
  const [first, second] = [join(broadcast), join(broadcast, false)];
  const written = write(broadcast, "a");
  second.membership.leave();
  await settled();
  assert.is(written.outcome, "confirmed");
  first.membership.leave();

  const lonely = join(broadcast, false);
  const waiting = write(broadcast, "b");
  lonely.membership.leave();
  await settled();
  assert.is(waiting.outcome, "open");
  const next = join(broadcast);
  await settled();
  assert.equal([next.got, waiting.outcome], [["b"], "confirmed"]);
});

/** Joins a client that takes messages while `room` lasts, and confirms them together or in any order. */
function joinWithRoom(broadcast: Broadcast, confirmsTogether: boolean) {
  const sent: { text: string; receipt: Receipt }[] = [];
  const missing = new Set<string>();
  const client = {
    room: 0,
    confirmsTogether,
    isReady: () => client.room > 0,
    send(message: Message, receipt: Receipt) {
      client.room -= 1;
      sent.push({ text: textOf(message), receipt });
    },
    end: () => undefined,
  };
  const membership = broadcast.join(client);
  return {
    missing,
    take(room: number) {
      client.room = room;
      membership.ready();
    },
    confirm(index: number) {
      const confirmed = confirmsTogether ? sent.splice(0) : sent.splice(index % Math.max(1, sent.length), 1);
      for (const { text } of confirmed) missing.delete(text);
      for (const receipt of new Set(confirmed.map((each) => each.receipt))) receipt.confirm();
    },
    leave() {
      missing.clear();
      membership.leave();
    },
  };
}

test("a message is confirmed exactly when no client lacks it, however clients confirm", async () => {
  const random = createRandom(9);
  for (let round = 0; round < 100; round += 1) {
    const broadcast = new Broadcast();
    const clients = Array.from({ length: 4 }, () => joinWithRoom(broadcast, random(2) === 0));
    const texts: string[] = [];
    const confirmed = new Set<string>();
    for (let step = 0; step < 40; step += 1) {
      const client = clients[random(clients.length)];
      const kind = random(12);
      if (kind < 4) {
        const fresh = Array.from({ length: 1 + random(3) }, (_, index) => `${texts.length + index}`);
        texts.push(...fresh);
        for (const { missing } of clients) for (const text of fresh) missing.add(text);
        broadcast.writeEach(
          fresh.map((text) => Message.fromText(text)),
          {
            confirm: (index) => confirmed.add(fresh[index] ?? ""),
            fail: (_, error) => assert.unreachable(String(error)),
          },
        );
      } else if (kind < 7) client?.take(random(5));
      else if (kind < 11) client?.confirm(random(5));
      else if (client !== undefined && clients.length > 1) {
        client.leave();
        clients.splice(clients.indexOf(client), 1);
      } else clients.push(joinWithRoom(broadcast, random(2) === 0));
      await Promise.resolve();
      const expected = texts.filter((text) => clients.every(({ missing }) => !missing.has(text)));
      assert.equal([...confirmed].toSorted(), expected.toSorted());
    }
  }
});

test("messages wait for the first client, and are rejected on release", async () => {
  const broadcast = new Broadcast();
  const early = write(broadcast, "a");
  const client = join(broadcast);
  await settled();
  assert.equal([client.got, early.outcome], [["a"], "confirmed"]);
  client.membership.leave();
  const late = write(broadcast, "b");
  broadcast.release();
  await settled();
  assert.is(late.outcome, "No client is connected");
  assert.is(broadcast.wanted, false);
});

test("messages that are written each after the release are rejected, and do not count as written", async () => {
  const broadcast = new Broadcast();
  broadcast.release();
  const failures: string[] = [];
  const messages = [1n, 2n].map((offset) =>
    Message.fromBytes(Buffer.from("a"), undefined, { part: "0", offset }),
  );
  broadcast.writeEach(messages, {
    confirm: (index) => failures.push(`${index} is confirmed`),
    fail: (index, error) => failures.push(`${index}: ${error}`),
  });
  await settled();
  assert.equal(
    failures,
    ["0", "1"].map((index) => `${index}: GatewayError: No client is connected`),
  );
  assert.is(broadcast.written.size, 0);
});

test("close rejects waiting messages and disconnects every client", async () => {
  const broadcast = new Broadcast();
  const client = join(broadcast, false);
  const written = write(broadcast, "a");
  broadcast.close(false);
  client.membership.leave();
  await settled();
  assert.equal([client.ended, written.outcome], [true, "Gateway is closing"]);
});

test("event streams and sockets of one output get the same messages", async () => {
  const gateway = await consuming({
    stream_path: "/events",
    ws_path: "/socket",
    distribution: resumableBroadcast,
  });
  const events = await sse(gateway.at("/events"));
  const frames = await socket(gateway.at("/socket"));
  await until(() => gateway.clients() === 2);
  // One message for each encoding of the length of a frame, all in one turn of the event loop.
  const sent = ["a", "b", ...[125, 126, 65_535, 65_536, 200_000].map((size) => "c".repeat(size))];
  await gateway.input.deliver(...sent);
  assert.equal(await frames.take(sent.length), sent);
  await until(() => events.events.length === sent.length);
  assert.equal(
    events.events.map(({ data }) => data),
    sent,
  );
  events.close();
  await frames.close();
  await gateway.close();
});

test.run();
