// Consecutive deployments under load. `npm run test:deployments` runs all fifty at 2,000 messages a second; without
// `DEPLOYMENTS` and `RATE` this is a short form of it.

import { Kafka, logLevel } from "kafkajs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { kafka } from "../../harness/brokers.ts";
import { collectedHeap } from "../../harness/heap.ts";
import { unique } from "../../harness/names.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput, textOf } from "../gateway/components.ts";
import { deployed, liveGateway, mark } from "./deployment.ts";
import { type Client, eventClient, frameClient, Receipts, startRequests, startSource } from "./load.ts";
import { durationsText, judgeLoad } from "./load-outcome.ts";

const deployments = Number(process.env.DEPLOYMENTS ?? 12);
const rate = Number(process.env.RATE ?? 300);
const mostMessages = 1_000_000;
/** The megabytes by which the heap may grow from the first deployments to the last. */
const mostGrowth = 8;

test(`${deployments} deployments at ${rate} messages a second lose, duplicate and interrupt nothing`, async () => {
  const broker = await kafka();
  const addresses = [broker.address];
  const admin = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const topic = unique("load");
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 2 }] });
  await until(async () => (await admin.fetchTopicOffsets(topic)).length === 2);
  const groups = { feed: unique("feed"), steady: unique("steady") };
  const away = `127.0.0.1:${await freePort()}`;
  const posted = new Receipts("requests", mostMessages);
  const taken = memoryOutput();
  const requests = {
    ...taken,
    async write(batch: Parameters<typeof taken.write>[0]) {
      for (const message of batch) posted.note(textOf(message));
      return {};
    },
  };
  const toClients = (group: string, path: string, version: number) => ({
    make: () => ({
      input: kafkaInput({ addresses, topics: [topic], consumer_group: group, start_from_oldest: true }),
      output: httpServerOutput({ path, distribution: broadcast }),
      pipeline: [mark(version)],
    }),
    digests: { pipeline: `${version}` },
  });
  /** Returns a version: another mapping, an output with an unavailable broker, or a variable that is not set. */
  const version = (number: number, what: "good" | "away" | "lacking") =>
    deployed({
      feed: toClients(groups.feed, "/feed", number),
      steady: toClients(groups.steady, "/steady", 0),
      requests: {
        make: () => ({
          input: httpServerInput({ path: "/new" }),
          output: requests,
          pipeline: [mark(number)],
        }),
        digests: { pipeline: `${number}`, input: `${number % 3}` },
      },
      ...(what === "good"
        ? {}
        : {
            more: (env) => ({
              input: httpServerInput({ path: what === "lacking" ? env.text("WHERE") : "/more" }),
              output: kafkaOutput({ addresses: [away], topic }),
            }),
          }),
    });
  const first = version(0, "good");
  const { gateway, live } = await liveGateway([first], { level: "error" });
  const url = `${gateway.url}/orders`;
  const clients: Client[] = [];
  for (const path of ["feed", "steady"]) {
    for (const [kind, connect] of [
      ["events", eventClient],
      ["frames", frameClient],
    ] as const) {
      clients.push(await connect(`${url}/${path}`, new Receipts(`${kind} of ${path}`, mostMessages)));
    }
  }
  await until(() => gateway.streams.states().every(({ status }) => status === "running"));
  const source = await startSource(addresses, topic, rate, mostMessages);
  await until(() => clients.every(({ receipts }) => receipts.received > 0));
  const sending = startRequests(`${url}/new`);
  const counts = { applied: 0, "rolled back": 0, unchanged: 0, removed: 0 };
  const durations: number[] = [];
  let current = first;
  let versionNow = 0;
  let early = 0;
  for (let number = 1; number <= deployments; number += 1) {
    const kind = number % 2 === 1 ? "good" : (["away", "same", "lacking"] as const)[(number / 2) % 3];
    const next = kind === "same" || kind === undefined ? current : version(number, kind);
    const begun = performance.now();
    const [outcome] = await live.apply([next]);
    durations.push(performance.now() - begun);
    if (outcome !== undefined) counts[outcome.outcome] += 1;
    const expected = kind === "good" ? "applied" : kind === "same" ? "unchanged" : "rolled back";
    assert.is(outcome?.outcome, expected, `${number}: ${outcome?.reason}`);
    if (outcome?.outcome === "applied") [current, versionNow] = [next, number];
    // Each version processes messages before the next one is deployed.
    const before = posted.received;
    const isUsed = () => clients[0]?.receipts.latest === versionNow;
    await until(() => posted.received > before + 5 && isUsed());
    if (number === Math.floor(deployments / 5)) early = await collectedHeap();
  }
  const late = await collectedHeap();
  const reached = source.rate;
  await source.stop();
  const { sent, failed } = await sending.stop();
  await until(() => clients.every(({ receipts }) => receipts.received >= source.sent), {
    what: "every message at every client",
  });
  const [events, frames] = clients;
  if (events === undefined || frames === undefined) throw new Error("nobody reads the feed");
  const { faults, versions, figures } = judgeLoad({
    sent: source.sent,
    rate: reached,
    clients,
    changed: [events.receipts, frames.receipts],
    requests: { sent, posted, failed },
  });
  console.log(
    [
      "",
      `deployments   ${deployments}: ${counts.applied} applied, ${counts["rolled back"]} rolled back, ${counts.unchanged} unchanged`,
      ...figures,
      `a deployment  ${durationsText(durations)}`,
      `heap          ${early.toFixed(1)} MB after ${Math.floor(deployments / 5)}, ${late.toFixed(1)} MB after ${deployments}`,
    ].join("\n"),
  );
  assert.equal(faults.slice(0, 20), []);
  assert.is(versions, counts.applied + 1, "each version had something to do");
  assert.ok(late - early < mostGrowth, `the heap grew by ${(late - early).toFixed(1)} MB`);
  for (const client of clients) client.close();
  await gateway.close();
  await admin.disconnect();
  await broker.stop();
});

test.run();
