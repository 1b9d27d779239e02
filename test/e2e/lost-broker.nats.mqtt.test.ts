import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startMosquitto } from "../harness/brokers/mosquitto.ts";
import { startNats } from "../harness/brokers/nats.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";
import { buildAndStart, isReady } from "./gateway.ts";

test("operators see a broker connection lost after the start, and its return", async () => {
  const places = { nats: { port: await freePort() }, mqtt: { port: await freePort() } };
  const brokers = [await startNats(places.nats), await startMosquitto(places.mqtt)];
  const document = join(temporaryDirectory("document"), "api.yaml");
  writeFileSync(
    document,
    `
openapi: 3.1.0
info: { title: Lost, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    written:
      input: { http_server: { path: /in } }
      output: { broker: { outputs: [{ mqtt: { urls: ["mqtt://127.0.0.1:${places.mqtt.port}"], topic: t } }] } }
    read:
      input: { nats: { urls: ["nats://127.0.0.1:${places.nats.port}"], subject: s } }
      output: { mqtt: { urls: ["mqtt://127.0.0.1:${places.mqtt.port}"], topic: t } }
`.trimStart(),
  );
  const gateway = await buildAndStart([document]);

  for (const broker of brokers) await broker.stop();
  await until(async () => !(await isReady(gateway)), { what: "the loss to be seen" });
  const lost = await until(
    async () => {
      const { streams } = (await (await fetch(`${gateway.adminUrl}/streams`)).json()) as {
        streams: readonly { stream: string; status: string; reason?: string }[];
      };
      return streams.every(({ status }) => status === "failed") && streams;
    },
    { what: "both streams to have failed" },
  );
  assert.is(lost[0]?.reason, "the connection to MQTT is lost");
  assert.match(lost[1]?.reason ?? "", /^the connection to (NATS|MQTT) is lost$/);

  const returned = [await startNats(places.nats), await startMosquitto(places.mqtt)];
  await until(() => isReady(gateway), {
    what: "the gateway to be ready again",
  });
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  for (const broker of returned) await broker.stop();
});

test.run();
