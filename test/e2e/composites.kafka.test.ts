import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { buildAndStart } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

const broker = await kafka();
const KAFKA_BROKERS = broker.address;
test.after(() => broker.stop());

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    orders:
      input:
        kafka:
          addresses: ["\${KAFKA_BROKERS}"]
          topics: [composites.in]
          consumer_group: composites
          start_from_oldest: true
          batching: { count: 10, period: 100ms }
        processors:
          - mapping: |
              root = this
              root.size = batch_size()
      pipeline:
        threads: 1
        processors:
          - mapping: |
              root = this
              root.number = this.number.number()
      output:
        fallback:
          - kafka: { addresses: ["\${KAFKA_BROKERS}"], topic: composites.good }
          - kafka: { addresses: ["\${KAFKA_BROKERS}"], topic: composites.bad, batching: { count: 5, period: 100ms } }
            processors:
              - mutation: root.reason = @fallback_error
`;

test("messages of collected batches that fail or succeed reach their destination once and in order", async () => {
  const topics = await freshTopics(KAFKA_BROKERS, ["composites.in", "composites.good", "composites.bad"]);
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const isBad = (number: number) => number % 7 === 3;
  const values = numbers.map((number) =>
    JSON.stringify({ number: isBad(number) ? `no${number}` : `${number}` }),
  );
  await topics.send("composites.in", ...values);
  const file = join(temporaryDirectory("orders"), "orders.yaml");
  writeFileSync(file, document);
  const gateway = await buildAndStart([file], { KAFKA_BROKERS });
  const [good, bad] = [await topics.read("composites.good"), await topics.read("composites.bad")];
  const bads = numbers.filter(isBad);
  const received = await good.take(numbers.length - bads.length);
  const orders = received.map((value) => JSON.parse(value));
  assert.equal(
    orders.map(({ number }) => number),
    numbers.filter((number) => !isBad(number)),
  );
  assert.ok(
    orders.some(({ size }) => size === 10),
    "they came in batches",
  );
  const letters = (await bad.take(bads.length)).map((value) => JSON.parse(value));
  assert.equal(
    letters.map(({ number }) => number).toSorted(),
    bads.map((number) => `no${number}`).toSorted(),
  );
  assert.ok(letters.every(({ reason }) => String(reason).includes("number")));
  assert.is(await gateway.program.stop(), 0);
  assert.equal([good.all.length, bad.all.length], [numbers.length - bads.length, bads.length]);
  await topics.close();
});

test.run();
