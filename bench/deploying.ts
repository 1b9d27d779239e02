// Measures the time from sending a definition until it is served, in a gateway with many APIs, and the heap growth
// after fifty deployments. Service and gateway run in processes of their own, as with `sluice`.

import * as assert from "node:assert";
import { Kafka, logLevel } from "kafkajs";
import { type Deploying, startDeploying } from "../test/e2e/deploying.ts";
import { answering, apiOf } from "../test/harness/api-documents.ts";
import { kafka } from "../test/harness/brokers.ts";
import { heapOf } from "../test/harness/heap.ts";
import { until } from "../test/harness/wait.ts";
import { eventClient, Receipts, startSource } from "../test/runtime/live/load.ts";
import type { Compared } from "./gateways.ts";
import { median } from "./measure.ts";

const apis = 100;
const streams = 5;
const changes = { keepingInputs: 40, ofKafkaInput: 10 };
const total = changes.keepingInputs + changes.ofKafkaInput;
/** Maximum median time in milliseconds from a definition to its first response. */
const goal = 2_000;
/** Maximum growth of the heap in megabytes from the tenth deployment to the last. */
const mostGrowth = 8;
/** Number of definitions sent concurrently when the set is created. */
const lanes = 4;
/** Messages per second to the stream that reads from Kafka. */
const rate = 200;
const topic = "bench-deploying";

/** Deploys repeatedly to a set of a hundred APIs. Takes about a minute and starts a Kafka. */
export async function measureDeploying(): Promise<readonly Compared[]> {
  await import("../scripts/build-dist.ts"); // builds the bundle that `sluice` runs
  const broker = await kafka();
  const admin = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 2 }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === 2);
  await admin.disconnect();
  const deploying = await startDeploying();
  try {
    return await measure(deploying, broker.address);
  } finally {
    await deploying.stop();
    await broker.stop();
  }
}

async function measure(deploying: Deploying, address: string): Promise<readonly Compared[]> {
  const fed = (version: number) =>
    apiOf(`${reading(address, version)}${talking(0, streams - 1)}`, { id: "fed" });
  await makeSet(deploying, fed(0));
  const receipts = new Receipts("events", 1_000_000);
  const client = await eventClient(`${deploying.url}/fed/events`, receipts);
  const source = await startSource([address], topic, rate, 1_000_000);
  await until(() => receipts.received > 0, { timeout: 60_000 });
  const times: Record<keyof typeof changes, number[]> = { keepingInputs: [], ofKafkaInput: [] };
  let early = Number.NaN;
  for (let number = 1; number <= total; number += 1) {
    if (number % (total / changes.ofKafkaInput) === 0) {
      times.ofKafkaInput.push(
        await timeOf(deploying, "PUT", "fed", fed(number), () => receipts.latest === number),
      );
    } else {
      const isNew = number % 4 === 0;
      const id = `api-${isNew ? apis + number : number}`;
      const text = apiOf(talking(number, streams), { id });
      const isServed = async () => (await said(deploying, id)) === String(number);
      times.keepingInputs.push(await timeOf(deploying, isNew ? "POST" : "PUT", id, text, isServed));
    }
    if (number === 10) early = await heapOf(deploying.gateway);
  }
  const late = await heapOf(deploying.gateway);
  client.close();
  await source.stop();
  const { keepingInputs, ofKafkaInput } = times;
  return [
    {
      name: `deploy: POST to serving, ${apis} APIs of ${streams} streams`,
      shown: `${shownTimes(keepingInputs)} (median under ${goal})`,
      reached: median(keepingInputs) < goal,
    },
    { name: "deploy: a changed Kafka input", shown: shownTimes(ofKafkaInput), reached: true },
    {
      name: `deploy: heap after ${total} deployments`,
      shown: `${late.toFixed(1)} MB, after 10 it was ${early.toFixed(1)} MB (at most ${mostGrowth} more)`,
      reached: late - early < mostGrowth,
    },
  ];
}

/** Deploys all APIs: the one that reads from Kafka, and others up to a hundred. */
async function makeSet(deploying: Deploying, fed: string): Promise<void> {
  const ids = Array.from({ length: apis - 1 }, (_, index) => `api-${index + 1}`);
  const documents = [fed, ...ids.map((id) => apiOf(talking(0, streams), { id }))];
  const lane = async () => {
    for (let text = documents.pop(); text !== undefined; text = documents.pop()) {
      assert.strictEqual((await deploying.send("POST", "/apis/streams", text)).status, 200);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const id of ["fed", ...ids]) {
    await until(async () => (await said(deploying, id)) === "0", { what: id, timeout: 120_000 });
  }
}

/** Returns the milliseconds from sending a definition until it is served. */
async function timeOf(
  deploying: Deploying,
  method: "POST" | "PUT",
  id: string,
  text: string,
  isServed: () => boolean | Promise<boolean>,
): Promise<number> {
  const before = await deploying.newest();
  const begun = performance.now();
  const sent = await deploying.send(method, `/apis/streams${method === "POST" ? "" : `/${id}`}`, text);
  assert.strictEqual(sent.status, 200, JSON.stringify(sent));
  await until(isServed, { what: id, timeout: 60_000 });
  const time = performance.now() - begun;
  const outcomes = await deploying.outcomesAfter(before);
  assert.deepStrictEqual(outcomes.filter(({ outcome }) => outcome !== "unchanged").length, 1);
  return time;
}

async function said({ url }: Deploying, id: string): Promise<string> {
  return (await fetch(`${url}/${id}/say-0`, { method: "POST", body: "x" })).text();
}

function shownTimes(times: readonly number[]): string {
  const worst = Math.max(...times).toFixed(0);
  return `median ${median(times).toFixed(0)} ms, worst ${worst} ms of ${times.length}`;
}

/** Returns streams that respond to requests with the version. */
function talking(version: number, count: number): string {
  return Array.from({ length: count }, (_, index) =>
    answering(`${version}`, { name: `talk-${index}`, path: `/say-${index}` }),
  ).join("");
}

/** Returns a stream from Kafka to clients, whose input differs in each version. */
function reading(address: string, version: number): string {
  return `feed:
  input:
    kafka: { addresses: ["${address}"], topics: [${topic}], consumer_group: bench, commit_period: ${1000 + version}ms }
  pipeline: { processors: [{ mapping: 'root = content().string() + "-${version}"' }] }
  output: { http_server: { stream_path: /events, distribution: broadcast } }
`;
}
