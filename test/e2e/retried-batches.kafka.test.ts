// `error_handling` like the reference engine's, `strategy: retry` and `log`: with a real broker, and a kill in between.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { type HttpServer, httpServer } from "../harness/http-server.ts";
import { unique } from "../harness/names.ts";
import { until } from "../harness/wait.ts";
import { buildBundle, startBundle } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

const broker = await kafka();

/** Starts a stream between two topics through a service that refuses the order 3 while `refuses` returns true. */
async function retried(refuses: () => boolean) {
  const [from, to] = [unique("retried"), unique("retried-out")];
  const topics = await freshTopics(broker.address, [from, to]);
  const service = await httpServer(({ body }) =>
    body === '{"order":3}' && refuses() ? { status: 500, body: "not yet" } : { body },
  );
  const file = join(temporaryDirectory("retried"), "orders.yaml");
  const document = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1.0.0" },
    paths: {},
    "x-gw-streaming": {
      streams: {
        orders: {
          input: {
            kafka: {
              addresses: [broker.address],
              topics: [from],
              consumer_group: from,
              start_from_oldest: true,
              commit_period: "50ms",
            },
          },
          pipeline: { processors: [{ http: { url: service.url, verb: "POST", retries: 0 } }] },
          output: { kafka: { addresses: [broker.address], topic: to } },
          error_handling: { strategy: "retry", log: { enabled: true, add_payload: true } },
        },
      },
    },
  };
  writeFileSync(file, JSON.stringify(document));
  const folder = await buildBundle([file]);
  const orders = Array.from({ length: 10 }, (_, order) => JSON.stringify({ order }));
  await topics.send(from, ...orders);
  const close = () => Promise.all([topics.close(), service.close()]);
  return { folder, orders, service, received: await topics.read(to), close };
}

/** Waits until the order 3 was refused twice among the requests from `from` on. */
const isTriedAgain = ({ requests }: HttpServer, from = 0) =>
  until(() => requests.slice(from).filter(({ body }) => body === '{"order":3}').length >= 2, {
    what: "two attempts",
  });

test("a failed message is retried until it succeeds, while later ones are delivered; each failure is logged", async () => {
  let refuses = true;
  const stream = await retried(() => refuses);
  const gateway = await startBundle(stream.folder);
  await isTriedAgain(stream.service);
  refuses = false;
  const received = await stream.received.take(10);
  const late = '{"order":3}';
  const others = stream.orders.filter((order) => order !== late);
  assert.equal(
    received.filter((order) => order !== late),
    others,
    "the order of the others is kept",
  );
  assert.equal(
    received.filter((order) => order === late),
    [late],
    "it is delivered once",
  );
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  const lines = gateway.program
    .output()
    .split("\n")
    .filter((line) => line.includes('"failed processing"'));
  const attempts = stream.service.requests.filter(({ body }) => body === '{"order":3}').length;
  assert.is(lines.length, attempts - 1);
  const [line] = lines.map((each) => JSON.parse(each));
  assert.equal([line.level, line.stream, line.raw_payload], ["error", "orders", '{"order":3}']);
  assert.match(line.error.message, "not yet");
  await stream.close();
});

test("a gateway killed during retries loses nothing", async () => {
  let refuses = true;
  const stream = await retried(() => refuses);
  const killed = await startBundle(stream.folder);
  await isTriedAgain(stream.service);
  await killed.program.stop("SIGKILL");
  const before = stream.service.requests.length;
  const next = await startBundle(stream.folder);
  await isTriedAgain(stream.service, before);
  refuses = false;
  // Later messages arrive again: offsets are not committed past an undelivered message.
  const left = new Set(stream.orders);
  while (left.size > 0) for (const order of await stream.received.take(1)) left.delete(order);
  assert.is(await next.program.stop(), 0, next.program.output());
  await stream.close();
});

test.after(() => broker.stop());

test.run();
