// Consecutive deployments under load, through the management service to a gateway of its own. `npm run test:deployments`
// does all fifty at 2,000 messages a second; without `DEPLOYMENTS` and `RATE`, this is a short form of it.

import { Kafka, logLevel } from "kafkajs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, apiOf } from "../harness/api-documents.ts";
import { kafka } from "../harness/brokers.ts";
import { heapOf } from "../harness/heap.ts";
import { unique } from "../harness/names.ts";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";
import {
  type Client,
  eventClient,
  frameClient,
  Receipts,
  startRequests,
  startSource,
} from "../runtime/live/load.ts";
import { durationsText, judgeLoad } from "../runtime/live/load-outcome.ts";
import { startDeploying } from "./deploying.ts";

const deployments = Number(process.env.DEPLOYMENTS ?? 8);
const rate = Number(process.env.RATE ?? 300);
const mostMessages = 1_000_000;
/** Megabytes that the gateway's heap may grow between the first deployments and the last. */
const mostGrowth = 8;

/** The kinds of every second deployment, in turn; the deployments between them change a mapping. */
const others = ["wrong", "lacking", "another", "away"] as const;
type Kind = "mapping" | (typeof others)[number];

const broker = await kafka();
const client = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING });

/** Returns a mapping that appends the version to each message: `17` becomes `17-3`. */
const marking = (
  version: number,
) => `  pipeline: { processors: [{ mapping: 'root = content().string() + "-${version}"' }] }
`;

const toClients = (name: string, topic: string, group: string, version: number) => `${name}:
  input:
    kafka: { addresses: ["${broker.address}"], topics: [${topic}], consumer_group: ${group}, start_from_oldest: true }
${marking(version)}  output: { http_server: { stream_path: /events, ws_path: /frames, distribution: broadcast } }
`;

async function createTopic(partitions: number): Promise<string> {
  const admin = client.admin();
  await admin.connect();
  const topic = unique("load");
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: partitions }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === partitions);
  await admin.disconnect();
  return topic;
}

/** Records the messages that the stream of requests writes. */
async function startReader(topic: string, posted: Receipts): Promise<{ close(): Promise<void> }> {
  const consumer = client.consumer({ groupId: unique("reader"), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({ eachMessage: async ({ message }) => posted.note(String(message.value)) });
  return { close: () => consumer.disconnect() };
}

for (const workers of [1, 2]) {
  const title = `${deployments} deployments through the service at ${rate} messages a second, GW_WORKERS=${workers}`;
  test(`${title}: nothing is lost, duplicated or interrupted`, () => deployUnderLoad(workers));
}

/** Deploys to a gateway with this number of workers while messages pass. */
async function deployUnderLoad(workers: number): Promise<void> {
  const [topic, written] = [await createTopic(2), await createTopic(1)];
  const groups = { feed: unique("feed"), steady: unique("steady") };
  const away = await freePort();
  /** Returns the changed API; every third version changes the input of its stream of requests. */
  const version = (number: number, more = "") =>
    apiOf(
      `${toClients("feed", topic, groups.feed, number)}requests:
  input: { http_server: { path: /new, timeout: ${5 + (number % 3)}s } }
${marking(number)}  output: { kafka: { addresses: ["${broker.address}"], topic: ${written} } }
${more}`,
    );
  const more = (path: string) => `more:
  input: { http_server: { path: ${path} } }
  output: { kafka: { addresses: ["127.0.0.1:${away}"], topic: away } }
`;
  const texts: Readonly<Record<Kind, (number: number) => string>> = {
    mapping: (number) => version(number),
    wrong: (number) => version(number).replace("broadcast", "broadcats"),
    lacking: (number) => version(number, more('"${NOT_THERE}"')),
    away: (number) => version(number, more("/more")),
    another: (number) => apiOf(answering(`${number}`), { id: `another-${number}` }),
  };

  const deploying = await startDeploying({ GW_WORKERS: String(workers) });
  const { url, gateway } = deploying;
  const steady = apiOf(toClients("steady", topic, groups.steady, 0) + answering("unchanged"), {
    id: "steady",
  });
  for (const text of [steady, version(0)]) {
    const before = await deploying.newest();
    assert.is((await deploying.send("POST", "/apis/streams", text)).status, 200);
    await deploying.outcomesAfter(before);
  }
  const posted = new Receipts("requests", mostMessages);
  const reader = await startReader(written, posted);
  const clients: Client[] = [];
  const connected = async (connect: typeof eventClient, api: string, path: string) => {
    const receipts = new Receipts(`${path} of ${api}`, mostMessages);
    clients.push(await connect(`${url}/${api}/${path}`, receipts));
    return receipts;
  };
  const changed = [
    await connected(eventClient, "orders", "events"),
    await connected(frameClient, "orders", "frames"),
  ] as const;
  await connected(eventClient, "steady", "events");
  await connected(frameClient, "steady", "frames");
  const source = await startSource([broker.address], topic, rate, mostMessages);
  await until(() => clients.every(({ receipts }) => receipts.received > 0));
  const sending = startRequests(`${url}/orders/new`);
  const talking = startRequests(`${url}/steady/say`);

  const counts = { applied: 0, added: 0, "rolled back": 0, refused: 0 };
  const durations: number[] = [];
  let versionNow = 0;
  let early = 0;
  for (let number = 1; number <= deployments; number += 1) {
    const kind = number % 2 === 1 ? "mapping" : (others[(number / 2 - 1) % others.length] ?? "mapping");
    const before = await deploying.newest();
    const begun = performance.now();
    const isNew = kind === "another";
    const sent = await deploying.send(
      isNew ? "POST" : "PUT",
      isNew ? "/apis/streams" : "/apis/streams/orders",
      texts[kind](number),
    );
    assert.is(sent.status, kind === "wrong" ? 400 : 200, `${number}: ${JSON.stringify(sent)}`);
    if (kind === "mapping") {
      versionNow = number;
      await until(() => changed[0].latest === number, { what: `version ${number}` });
      durations.push(performance.now() - begun);
    }
    if (kind === "wrong") {
      assert.ok((sent.Errors?.length ?? 0) > 0);
      assert.is(await deploying.newest(), before);
      counts.refused += 1;
    } else {
      const outcomes = await deploying.outcomesAfter(before);
      const of = (api: string) => outcomes.find((each) => each.api === api);
      assert.is(of("steady")?.outcome, "unchanged");
      const outcome = of(isNew ? `another-${number}` : "orders");
      const isBad = kind === "lacking" || kind === "away";
      assert.is(outcome?.outcome, isBad ? "rolled back" : "applied", `${number}: ${outcome?.reason}`);
      counts[isBad ? "rolled back" : isNew ? "added" : "applied"] += 1;
    }
    if (isNew) assert.is(await said(`${url}/another-${number}/say`), `${number}`);
    // Each version processes messages before the next one is deployed.
    const received = posted.received;
    await until(() => posted.received > received + 5 && changed[0].latest === versionNow);
    if (number === Math.floor(deployments / 5)) early = await heapOf(gateway);
  }

  const late = await heapOf(gateway);
  const reached = source.rate;
  await source.stop();
  const requests = await sending.stop();
  const talked = await talking.stop();
  await until(
    () =>
      posted.received >= requests.sent && clients.every(({ receipts }) => receipts.received >= source.sent),
    { what: "every message at every client" },
  ).catch(() => undefined); // what is missing is told below
  const { faults, versions, figures } = judgeLoad({
    sent: source.sent,
    rate: reached,
    clients,
    changed,
    requests: { ...requests, posted },
  });
  console.log(
    [
      "",
      `deployments   ${deployments}: ${counts.applied} applied, ${counts.added} added, ${counts["rolled back"]} rolled back, ${counts.refused} refused`,
      ...figures,
      `of others     ${talked.sent} requests, ${talked.failed.length} failed`,
      `PUT to served ${durationsText(durations)}`,
      `heap          ${early.toFixed(1)} MB after ${Math.floor(deployments / 5)}, ${late.toFixed(1)} MB after ${deployments}; of the service ${(await heapOf(deploying.service())).toFixed(1)} MB`,
    ].join("\n"),
  );
  assert.equal([...faults, ...talked.failed].slice(0, 20), []);
  assert.is(versions, counts.applied + 1, "each version had something to do");
  assert.ok(late - early < mostGrowth, `the heap grew by ${(late - early).toFixed(1)} MB`);
  for (const each of clients) each.close();
  await reader.close();
  assert.equal(await deploying.stop(), [0, 0], gateway.output());
}

async function said(url: string): Promise<string> {
  return (await fetch(url, { method: "POST", body: "x" })).text();
}

test.after(() => broker.stop());

test.run();
