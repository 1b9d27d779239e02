// When RabbitMQ runs out of memory, it stops reading from publishers until its alarm ends.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startRabbitmq } from "../harness/brokers/rabbitmq.ts";
import { chromium } from "../harness/chromium.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { connectRabbitmq } from "../harness/rabbitmq-client.ts";
import { until } from "../harness/wait.ts";
import { buildBundle, startBundle } from "./gateway.ts";

const reason = "RabbitMQ accepts no messages at the moment";
const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`);

test("publishing waits for the end of an alarm that operators see, and nothing is lost or confirmed early", async () => {
  const broker = await startRabbitmq();
  const connection = await connectRabbitmq(broker.address);
  const channel = await connection.createConfirmChannel();
  for (const queue of ["source", "moved", "posted"]) await channel.assertQueue(queue, { durable: true });
  for (const text of texts) channel.sendToQueue("source", Buffer.from(text), { persistent: true });
  await channel.waitForConfirms();

  const document = join(temporaryDirectory("document"), "api.yaml");
  const to = (key: string) =>
    `{ amqp_0_9: { urls: ["${broker.address}"], exchange: "", key: ${key}, persistent: true } }`;
  writeFileSync(
    document,
    `openapi: 3.1.0
info: { title: Alarm, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Alarm, id: alarm, state: { active: true } }
  server: { listenPath: { value: / } }
x-gw-streaming:
  streams:
    moved:
      input: { amqp_0_9: { urls: ["${broker.address}"], queue: source, prefetch_count: 10 } }
      output: ${to("moved")}
    posted:
      input: { http_server: { path: /in, timeout: 5m } }
      output: ${to("posted")}
`,
  );
  await broker.control("set_vm_memory_high_watermark", "0");
  const gateway = await startBundle(await buildBundle([document]));
  const read = async (path: string) => JSON.parse(await (await fetch(`${gateway.adminUrl}${path}`)).text());
  const streams = async (): Promise<readonly Row[]> => (await read("/streams")).streams;
  const stateOf = async (name: string) => (await streams()).find(({ stream }) => stream === name);

  let answered: number | undefined;
  await until(async () => (await stateOf("posted"))?.status === "running", { what: "the stream to run" });
  const posted = fetch(`${gateway.url}/in`, { method: "POST", body: "posted" }).then(({ status }) => {
    answered = status;
  });
  const blocked = await until(
    async () => {
      const rows = await streams();
      return rows.every((row) => row.status === "failed" && row.reason === reason) && rows;
    },
    { what: "both streams to be held up" },
  );
  assert.equal(
    blocked.map(({ messages }) => messages.delivered),
    [0, 0],
  );
  assert.equal((await read("/readyz")).reasons.length, 2);
  const browser = await chromium();
  try {
    const page = await browser.newPage();
    await page.goto(gateway.adminUrl);
    await page.getByText(reason).first().waitFor();
  } finally {
    await browser.close();
  }
  // The broker has confirmed nothing, so the gateway has confirmed nothing to the sources.
  assert.is(answered, undefined);
  const before = { source: texts.length, moved: 0, posted: 0 };
  assert.equal(await queues(), before);

  await broker.control("set_vm_memory_high_watermark", "0.9");
  await posted;
  assert.is(answered, 200);
  const after = { source: 0, moved: texts.length, posted: 1 };
  await until(async () => isDeepStrictEqual(await queues(), after), { what: "all to have passed" });
  await until(async () => (await streams()).every(({ status }) => status === "running"), {
    what: "both streams to run",
  });
  const moved: string[] = [];
  for (let next = await channel.get("moved"); next !== false; next = await channel.get("moved"))
    moved.push(next.content.toString());
  assert.equal(moved, texts);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  const log = gateway.program.output();
  assert.is(log.split(`"msg":"${reason}"`).length - 1, 2, log);
  assert.is(log.split('"msg":"RabbitMQ accepts messages again"').length - 1, 2, log);

  await connection.close();
  await broker.stop();

  /** Resolves with the number of messages of each queue, including unacknowledged ones. */
  async function queues(): Promise<Record<string, number>> {
    const rows = await broker.control("list_queues", "--quiet", "--no-table-headers", "name", "messages");
    const pairs = rows.trim().split("\n");
    return Object.fromEntries(
      pairs.map((row) => row.split("\t")).map(([name, count]) => [name, Number(count)]),
    );
  }
});

interface Row {
  readonly stream: string;
  readonly status: string;
  readonly reason?: string;
  readonly messages: { readonly delivered: number };
}

test.run();
