import { test } from "uvu";
import * as assert from "uvu/assert";
import { resumableBroadcast } from "../../../runtime/clients/resumable-broadcast.ts";
import type { Processor } from "../../../runtime/component/component.ts";
import { plainHttpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { decodePositions, PositionEncoder, type Positions } from "../../../runtime/message/positions.ts";
import { inputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { type SseClient, sse } from "../../harness/sse-client.ts";
import { until } from "../../harness/wait.ts";
import { ordersApi, startGateway, type TestGateway } from "../gateway/start-gateway.ts";
import { Log } from "./log-source.ts";

/** Drops messages that begin with `-`. */
const filter: Processor = {
  process: (batch) => {
    const kept = batch.filter((message) => !Buffer.from(message.bytes()).toString().startsWith("-"));
    return kept.length === 0 ? [] : [kept];
  },
};

async function serving(log: Log): Promise<TestGateway> {
  const events = () => ({
    input: log.input(),
    pipeline: [filter],
    output: plainHttpServerOutput({ stream_path: "/events", distribution: resumableBroadcast }),
  });
  return startGateway([ordersApi({ events })]);
}

function connect(gateway: TestGateway, lastId?: string): Promise<SseClient> {
  return sse(
    `${gateway.url}/orders/events`,
    lastId === undefined ? {} : { headers: { "last-event-id": lastId } },
  );
}

function dataOf({ events }: SseClient): readonly string[] {
  return events.map(({ data }) => data);
}

function idOf({ events }: SseClient, index: number): string {
  return events.at(index)?.id ?? "";
}

/** Connects a client that receives these messages and disconnects. Returns the id of the last one. */
async function givenAndGone(gateway: TestGateway, log: Log, ...texts: readonly string[]): Promise<string> {
  const client = await connect(gateway);
  log.append(...texts);
  await until(() => client.events.length === texts.length);
  client.close();
  return idOf(client, -1);
}

const encodePositions = (positions: Positions): string => String(new PositionEncoder().encode(positions));

test("a client that reconnects gets what it missed, then new messages, each once and in order", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const lastId = await givenAndGone(gateway, log, "a", "b");
  const other = await connect(gateway);
  log.append("c", "-dropped", "d");
  await until(() => dataOf(other).includes("d"));

  const back = await connect(gateway, lastId);
  await until(() => back.events.length === 2);
  assert.equal(dataOf(back), ["c", "d"]);
  await until(() => log.replays === 0);
  log.append("e");
  await until(() => dataOf(back).includes("e") && dataOf(other).includes("e"));
  assert.equal(dataOf(back), ["c", "d", "e"]);
  assert.is(idOf(back, -1), idOf(other, -1));
  for (const client of [back, other]) client.close();
  await gateway.close();
});

test("messages delivered before an input has started have ids as well", async () => {
  const log = new Log();
  const started = Promise.withResolvers<void>();
  log.started = started.promise;
  log.append("a");
  const gateway = await serving(log);
  const client = await connect(gateway);
  await until(() => client.events.length === 1);
  assert.equal([...(decodePositions(idOf(client, 0)) ?? [])], [["log", 1n]]);
  started.resolve();
  client.close();
  await gateway.close();
});

test("messages written while no client is connected are not missed", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const lastId = await givenAndGone(gateway, log, "a");
  await until(() => gateway.streams.states()[0]?.status === "waiting");
  log.append("b", "c");
  const back = await connect(gateway, lastId);
  log.append("d");
  await until(() => dataOf(back).includes("d"));
  await until(() => log.replays === 0 && log.committed === 4);
  log.append("e");
  await until(() => dataOf(back).includes("e"));
  assert.equal(dataOf(back), ["b", "c", "d", "e"]);
  back.close();
  await gateway.close();
});

test("a sole client that reconnects immediately gets no waiting message twice", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const lastId = await givenAndGone(gateway, log, "a");
  await until(() => gateway.streams.states()[0]?.clients === 0);
  // The input has not stopped yet: the stream itself delivers these, and the client's own reader finds them, too.
  log.append("b", "c", "d");
  const back = await connect(gateway, lastId);
  await until(() => log.replays === 0 && log.committed === 4);
  log.append("e");
  await until(() => dataOf(back).includes("e"));
  assert.equal(dataOf(back), ["b", "c", "d", "e"]);
  back.close();
  await gateway.close();
});

test("with batching no message is assumed delivered, because batches may differ", async () => {
  const log = new Log();
  log.collects = true;
  const gateway = await serving(log);
  log.append("a", "b");
  const back = await connect(gateway, encodePositions(new Map([["log", 1n]])));
  await until(() => log.replays === 0 && log.committed === 2 && dataOf(back).length >= 3);
  assert.equal(dataOf(back), ["b", "a", "b"]);
  back.close();
  await gateway.close();
  const collecting = inputWithBatching(log.input(), { count: 2 });
  assert.is(collecting.positions?.from(new Map()).collects, true);
});

test("what a client had before the gateway was killed is redelivered only to others", async () => {
  const log = new Log();
  const gateway = await serving(log);
  log.append(...Array.from({ length: 5 }, (_, index) => `${index}`));
  // The previous gateway did not confirm the first three messages in time.
  const back = await connect(gateway, encodePositions(new Map([["log", 3n]])));
  await until(() => log.replays === 0 && log.committed === 5);
  log.append("5");
  await until(() => dataOf(back).includes("5"));
  assert.equal(dataOf(back), ["3", "4", "5"]);
  back.close();
  await gateway.close();
});

test("messages that arrive while a client catches up are not missed", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const other = await connect(gateway);
  const texts = Array.from({ length: 300 }, (_, index) => `m${index}`);
  log.append("start");
  await until(() => other.events.length === 1);
  log.append(...texts.slice(0, 200));
  const back = await connect(gateway, idOf(other, 0));
  for (const text of texts.slice(200)) {
    log.append(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => dataOf(back).includes("m299"));
  assert.equal(dataOf(back), texts);
  for (const client of [back, other]) client.close();
  await until(() => log.replays === 0);
  await gateway.close();
});

test("clients above the limit of concurrent replays wait for their turn", async () => {
  const log = new Log();
  const gateway = await serving(log);
  log.append("a", "b", "c");
  const from = encodePositions(new Map([["log", 1n]]));
  const clients = await Promise.all(Array.from({ length: 40 }, () => connect(gateway, from)));
  await until(() => log.replays === 0 && clients.every((client) => client.events.length === 2));
  log.append("d");
  await until(() => clients.every((client) => dataOf(client).includes("d")));
  for (const client of clients) {
    assert.equal(dataOf(client), ["b", "c", "d"]);
    client.close();
  }
  assert.ok(log.mostReplays <= 16, `${log.mostReplays} readers`);
  await gateway.close();
});

test("a client stays connected and waits for an unreadable source", async () => {
  const log = new Log();
  const gateway = await serving(log);
  log.append("a", "b", "c");
  log.failures = { begin: 1, ends: 1 };
  const client = await connect(gateway, encodePositions(new Map([["log", 1n]])));
  await until(() => client.events.length === 2 && log.replays === 0);
  log.append("d");
  await until(() => dataOf(client).includes("d"));
  assert.equal(dataOf(client), ["b", "c", "d"]);
  assert.ok(client.events.every(({ id }) => id !== ""));
  assert.is(log.failures.begin, -2, "it was read from the third attempt on");
  client.close();
  await gateway.close();
});

test("while the source is unreadable one client probes it for all", async () => {
  const log = new Log();
  const gateway = await serving(log);
  log.append("a", "b");
  log.failures = { begin: 1000, ends: 0 };
  const from = encodePositions(new Map([["log", 1n]]));
  const clients = [await connect(gateway, from)];
  clients.push(...(await Promise.all(Array.from({ length: 30 }, () => connect(gateway, from)))));
  const asked = 1000 - log.failures.begin;
  assert.ok(asked < 16, `asked ${asked} times`);
  log.failures.begin = 0;
  await until(() => clients.every((client) => client.events.length === 1));
  for (const client of clients) client.close();
  await gateway.close();
});

test("a client that disconnects while it catches up leaves no replay behind", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const other = await connect(gateway);
  log.append("start");
  await until(() => other.events.length === 1);
  log.append(...Array.from({ length: 2000 }, (_, index) => `${index} ${"x".repeat(5000)}`));
  const back = await connect(gateway, idOf(other, 0));
  back.close();
  await until(() => log.replays === 0);
  other.close();
  await gateway.close();
});

test("an unknown last event id starts with new messages", async () => {
  const log = new Log();
  const gateway = await serving(log);
  const other = await connect(gateway);
  log.append("a");
  await until(() => other.events.length === 1);
  const fresh = await connect(gateway, "17");
  log.append("b");
  await until(() => fresh.events.length === 1);
  assert.equal(dataOf(fresh), ["b"]);
  for (const client of [fresh, other]) client.close();
  await gateway.close();
});

test("a message split into several counts as received only when all of them were", async () => {
  const log = new Log();
  const parts: Processor = {
    process: (batch) => [
      batch.flatMap((message) => ["1", "2", "3"].map((part) => message.withBytes(Buffer.from(part)))),
    ],
  };
  const events = () => ({
    input: log.input(),
    pipeline: [parts],
    output: plainHttpServerOutput({ stream_path: "/events", distribution: resumableBroadcast }),
  });
  const gateway = await startGateway([ordersApi({ events })]);
  const client = await connect(gateway);
  log.append("a");
  await until(() => client.events.length === 3);
  const places = client.events.map(({ id }) => decodePositions(id)?.get("log"));
  assert.equal(places, [0n, 0n, 1n]);
  client.close();
  await gateway.close();
});

test.run();
