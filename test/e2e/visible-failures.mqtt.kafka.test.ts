import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka, mosquitto } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { unique } from "../harness/names.ts";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";
import { buildBundle, startBundle } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

interface State {
  readonly stream: string;
  readonly status: string;
  readonly reason?: string;
  readonly blocked?: { readonly attempts: number; readonly since: string };
}

type Line = Readonly<Record<string, unknown>>;

const content = "content-of-a-message";
const secret = "secret-in-an-address";
const [mqttServer, kafkaServer] = [await mosquitto(), await kafka()];
const [topic, rides, deadEnd] = [unique("orders"), unique("rides"), unique("dead")];
const topics = await freshTopics(kafkaServer.address, [topic]);
const publisher = await connectAsync(mqttServer.address);
const source = await httpServer(() => ({ status: 503 }));
const nobody = await freePort();

const rideStreams = `openapi: 3.1.0
info: { title: Rides, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Rides, id: rides, state: { active: true } }
  server: { listenPath: { value: / } }
x-gw-streaming:
  streams:
    bad-mqtt:
      input: { mqtt: { urls: ["${mqttServer.address}"], topics: ["${rides}/+"] } }
      pipeline: { processors: [{ label: enrich, mapping: root.total = this.quantity * 2 }] }
      output: { drop: {} }
    bad-kafka:
      input: { kafka: { addresses: ["${kafkaServer.address}"], topics: [${topic}], consumer_group: ${topic} } }
      pipeline: { processors: [{ mapping: root.total = this.quantity * 2 }] }
      output: { drop: {} }
    dead-end:
      input: { mqtt: { urls: ["${mqttServer.address}"], topics: [${deadEnd}] } }
      output: { http_client: { url: "http://user:${secret}@127.0.0.1:${nobody}/in", retries: 0 } }
    polled:
      input:
        http_client: { url: "\${SOURCE}/orders?token=${secret}", retries: 0, retry_period: 50ms }
      output: { drop: {} }
    watched:
      input:
        http_client: { url: "http://user:${secret}@127.0.0.1:${nobody}/sse", retries: 0, retry_period: 50ms, stream: { enabled: true } }
      output: { drop: {} }
`;

test("streams that are blocked or receive nothing are shown with their reasons, and never with message content", async () => {
  const folder = temporaryDirectory("document");
  writeFileSync(join(folder, "rides.yaml"), rideStreams);
  writeFileSync(join(folder, "gateway.yaml"), set);
  const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]), {
    SOURCE: source.url,
  });
  const ask = async (path: string) => (await fetch(`${gateway.adminUrl}${path}`)).text();
  const states = async (): Promise<readonly State[]> => JSON.parse(await ask("/streams")).streams;
  const statusOf = async (stream: string) => (await states()).find((each) => each.stream === stream)?.status;
  for (const stream of ["bad-mqtt", "bad-kafka", "dead-end"])
    await until(async () => (await statusOf(stream)) === "running", { what: `${stream} to run` });

  const message = JSON.stringify({ note: content });
  await topics.send(topic, message);
  await publisher.publishAsync(`${rides}/7`, message, { qos: 1 });
  await publisher.publishAsync(deadEnd, message, { qos: 1 });
  const seen = await until(
    async () => {
      const all = await states();
      return all.every(({ status, blocked }) => status === "failed" || (blocked?.attempts ?? 0) > 1) && all;
    },
    { what: "every stream to be blocked or failed" },
  );
  const byName = new Map(seen.map((state) => [state.stream, state]));
  const shown = [...byName.values()].map(({ stream, status, reason }) => [stream, status, reason]);
  const document = join(folder, "rides.yaml");
  const refused = `server \`127.0.0.1:${nobody}\` unreachable (connection refused)`;
  const lineOf = (text: string) => 1 + rideStreams.split("\n").findIndex((line) => line.includes(text));
  const at = (text: string) => `${document}:${lineOf(text)}`;
  const types = "types null (from field `this.quantity`) and number (from number literal)";
  const detail = `line 1 of the mapping: cannot multiply ${types}`;
  assert.equal(shown, [
    ["bad-mqtt", "blocked", `mapping_failed: ${detail}, in enrich (${at("label: enrich")})`],
    [
      "bad-kafka",
      "blocked",
      `mapping_failed: ${detail}, in pipeline.processors[0].mapping (${at("[{ mapping:")})`,
    ],
    [
      "dead-end",
      "blocked",
      `delivery_failed: The HTTP request failed: ${refused}, in output.http_client (${at("/in")})`,
    ],
    ["polled", "failed", "polling fails: source_failed: The HTTP request was answered with status 503"],
    ["watched", "failed", `reading the stream fails: unreachable: The HTTP request failed: ${refused}`],
  ]);

  const readiness = JSON.parse(await ask("/readyz"));
  const named = (texts: readonly string[]) => texts.map((text) => text.split(":", 1)[0]);
  assert.is(readiness.status, "not ready");
  assert.equal(named(readiness.reasons), ["rides/polled", "rides/watched"]);
  assert.equal(named(readiness.notes), ["rides/bad-mqtt", "rides/bad-kafka", "rides/dead-end"]);
  for (const [index, text] of [...readiness.notes, ...readiness.reasons].entries())
    assert.ok(text.includes(String(seen[index]?.reason)), text);

  const metrics = await ask("/metrics");
  for (const { stream, status } of seen)
    assert.match(metrics, `sluice_streams{api="rides",stream="${stream}",status="${status}"} 1`);

  await gateway.program.stop();
  const lines: readonly Line[] = gateway.program
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const reported = (stream: string, fields: readonly string[]) => {
    const line = lines.find((each) => each.stream === stream && each.reason !== undefined);
    return fields.map((name) => line?.[name]);
  };
  const of = ["reason", "component", "at", "source", "willRepeat"];
  assert.equal(reported("bad-mqtt", of).slice(0, 3), ["mapping_failed", "enrich", at("label: enrich")]);
  assert.match(JSON.stringify(reported("bad-mqtt", ["source"])), `{"topic":"${rides}/7","qos":1`);
  assert.equal(reported("bad-kafka", of), [
    "mapping_failed",
    "pipeline.processors[0].mapping",
    at("[{ mapping:"),
    { topic, partition: 0, offset: 0 },
    true,
  ]);
  assert.equal(reported("dead-end", of).slice(0, 3), ["delivery_failed", "output.http_client", at("/in")]);
  const where = ["reason", "component", "at"];
  assert.equal(reported("polled", where), ["source_failed", "input.http_client", at("/orders")]);
  assert.equal(reported("watched", where), ["unreachable", "input.http_client", at("/sse")]);

  const everything = [JSON.stringify(seen), JSON.stringify(readiness), metrics, gateway.program.output()];
  for (const text of everything) for (const marker of [content, secret]) assert.not.match(text, marker);
});

const set = `streaming: { enabled: true }
apis: [rides.yaml]
analytics: { prometheus: {} }
`;

test.after(async () => {
  await publisher.endAsync();
  await topics.close();
  await source.close();
  await Promise.all([mqttServer.stop(), kafkaServer.stop()]);
});

test.run();
