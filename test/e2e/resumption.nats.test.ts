import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { nats } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { type SseClient, sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { buildAndStart } from "./gateway.ts";

const broker = await nats();

/** Returns the text of a document that broadcasts the messages that a consumer of a stream reads. */
function document(stream: string, subject: string): string {
  return `openapi: 3.1.0
info: { title: News, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    news:
      input:
        nats_jetstream: { urls: ["\${NATS}"], stream: ${stream}, subject: "${subject}", durable: gateway }
      pipeline:
        processors:
          - mapping: root = if content() == "-" { deleted() } else { content().uppercase() }
      output:
        http_server: { stream_path: /news, distribution: broadcast }
`;
}

function dataOf({ events }: SseClient): readonly string[] {
  return events.map(({ data }) => data);
}

test("JetStream events resume after a disconnect of the client, and a gateway restart", async () => {
  const connection = await connect({ servers: broker.address });
  const manager = await jetstreamManager(connection);
  const name = unique("news");
  await manager.streams.add({ name, subjects: [`${name}.>`] });
  const client = jetstream(connection);
  const publish = async (...texts: string[]) => {
    for (const text of texts) {
      await client.publish(`${name}.us.today`, text);
      await client.publish(`${name}.eu.today`, `not for here: ${text}`);
    }
  };
  const file = join(temporaryDirectory("news"), "news.yaml");
  writeFileSync(file, document(name, `${name}.us.*`));
  let gateway = await buildAndStart([file], { NATS: broker.address });
  const connectAt = (id?: string) =>
    sse(`${gateway.url}/news`, id === undefined ? {} : { headers: { "last-event-id": id } });

  const first = await connectAt();
  await publish("a", "b");
  await until(() => first.events.length === 2);
  const id = first.events.at(-1)?.id;
  first.close();
  const other = await connectAt();
  await publish("c", "-", "d");
  await until(() => dataOf(other).includes("D"));
  const back = await connectAt(id);
  await until(() => back.events.length === 2);
  await publish("e");
  await until(() => dataOf(back).includes("E") && dataOf(other).includes("E"));
  assert.equal(dataOf(back), ["C", "D", "E"]);
  const consumers = await manager.consumers.list(name).next();
  assert.ok(consumers.every(({ config }) => config.ack_policy === AckPolicy.Explicit));

  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await publish("f");
  gateway = await buildAndStart([file], { NATS: broker.address });
  const later = await connectAt(id);
  await publish("g");
  await until(() => dataOf(later).includes("G"));
  assert.equal(dataOf(later), ["C", "D", "E", "F", "G"]);
  later.close();
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await manager.streams.delete(name);
  await connection.close();
});

test("a forged event id gives no access to messages of other streams", async () => {
  const connection = await connect({ servers: broker.address });
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  const [own, secret] = [unique("own"), unique("secret")];
  await manager.streams.add({ name: own, subjects: [`${own}.>`] });
  await manager.streams.add({ name: secret, subjects: [secret] });
  await manager.consumers.add(own, {
    durable_name: "gateway",
    ack_policy: AckPolicy.Explicit,
    filter_subject: `${own}.us`,
  });
  await client.publish(secret, "secret");
  const publish = async (text: string) => {
    await client.publish(`${own}.us`, text);
    await client.publish(`${own}.inside`, `not for here: ${text}`);
  };
  const file = join(temporaryDirectory("own"), "own.yaml");
  writeFileSync(
    file,
    document(own, "").replace('subject: "", durable: gateway', "durable: gateway, bind: true"),
  );
  const gateway = await buildAndStart([file], { NATS: broker.address });
  const connectAt = (id?: string) =>
    sse(`${gateway.url}/news`, id === undefined ? {} : { headers: { "last-event-id": id } });
  const first = await connectAt();
  await publish("a");
  await publish("b");
  await until(() => first.events.length === 2);
  // The subjects of the consumer apply, although the document names none.
  const back = await connectAt(first.events[0]?.id);
  await until(() => dataOf(back).includes("B"));
  const forged = [
    [secret, "1"],
    [own, "0"],
    ["__proto__", "1"],
  ];
  const others = await Promise.all(
    forged.map(([part = "", offset]) => connectAt(`a~${Buffer.from(part).toString("base64url")}.${offset}`)),
  );
  await publish("c");
  await until(() => [back, ...others].every((client) => dataOf(client).includes("C")));
  assert.equal([...new Set(dataOf(back))], ["B", "C"]);
  assert.equal(
    others.map((client) => [...new Set(dataOf(client))]),
    [["C"], ["A", "B", "C"], ["C"]],
  );
  for (const client of [first, back, ...others]) client.close();
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await manager.streams.delete(own);
  await manager.streams.delete(secret);
  await connection.close();
});

test("the broker stops", () => broker.stop());

test.run();
