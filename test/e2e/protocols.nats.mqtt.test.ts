import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { mosquitto, nats } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { socket } from "../harness/websocket-client.ts";
import { type BuiltGateway, buildAndStart } from "./gateway.ts";

const [natsServer, mqttServer] = [await nats(), await mosquitto()];

test("one document bridges a WebSocket, NATS, MQTT and server-sent events", async () => {
  const [subject, topic] = [unique("frames"), unique("frames")];
  const gateway = await serve(`
openapi: 3.0.3
info: { title: Bridge, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Bridge, state: { active: true } }
  server: { listenPath: { value: /bridge/ } }
x-gw-streaming:
  streams:
    take:
      input: { websocket_server: { path: /in, welcome_message: hello } }
      pipeline: { processors: [{ mapping: "root = content().uppercase()" }] }
      output: { nats: { urls: ["${natsServer.address}"], subject: "${subject}" } }
    carry:
      input: { nats: { urls: ["${natsServer.address}"], subject: "${subject}" } }
      output: { mqtt: { urls: ["${mqttServer.address}"], topic: "${topic}/\${! content().string() }" } }
    give:
      input: { mqtt: { urls: ["${mqttServer.address}"], topics: ["${topic}/+"] } }
      pipeline: { processors: [{ mapping: "root.text = content().string()\\nroot.topic = @mqtt_topic" }] }
      output: { http_server: { path: /out } }
`);
  const base = `${gateway.url}/bridge`;
  const reader = await socket(`${base.replace("http", "ws")}/out`);
  const events = await sse(`${base}/out`);
  await until(() => isRunning(gateway, "give"), { what: "the stream to have joined its broker" });
  const writer = await socket(`${base.replace("http", "ws")}/in`);
  assert.is(String(await writer.next()), "hello");
  for (const frame of ["one", "two"]) writer.send(frame);
  await until(() => reader.messages.length + events.events.length === 2, { what: "both messages" });
  const received = [...reader.messages.map(String), ...events.events.map(({ data }) => data)];
  assert.equal(received.toSorted(), [
    `{"text":"ONE","topic":"${topic}/ONE"}`,
    `{"text":"TWO","topic":"${topic}/TWO"}`,
  ]);
  assert.equal([reader.messages.length, events.events.length], [1, 1], "clients of both kinds take turns");
  for (const client of [reader, events, writer]) client.close();
  await stopped(gateway);
});

test("a plain request gets one message, or 408 when there is none", async () => {
  const topic = unique("single");
  const gateway = await serve(`
openapi: 3.1.0
info: { title: Single, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    take:
      input: { http_server: { path: "/in/{kind}" } }
      pipeline: { processors: [{ mapping: 'root = this.assign({"kind": @kind})' }] }
      output: { mqtt: { urls: ["${mqttServer.address}"], topic: "${topic}" } }
    give:
      input: { mqtt: { urls: ["${mqttServer.address}"], topics: ["${topic}"] } }
      output: { http_server: { path: /out, timeout: 60s } }
    never:
      input: { mqtt: { urls: ["${mqttServer.address}"], topics: ["${topic}/never"] } }
      output: { http_server: { path: /never, timeout: 50ms } }
`);
  const waiting = fetch(`${gateway.url}/out`);
  await until(() => isRunning(gateway, "give"), { what: "the stream to have joined its broker" });
  const posted = await fetch(`${gateway.url}/in/books`, {
    method: "POST",
    body: '{"n":12345678901234567890}',
  });
  assert.is(posted.status, 200);
  assert.is(await (await waiting).text(), '{"kind":"books","n":12345678901234567890}');
  const never = await fetch(`${gateway.url}/never`);
  assert.is(never.status, 408);
  const refused = await fetch(`${gateway.url}/in/books`, { method: "POST", body: "not json" });
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /^\{"error":"failed assignment \(line 1\)/);
  await stopped(gateway);
});

test("with streaming disabled, streams have no routes and requests follow the normal chain", async () => {
  const gateway = await serve(
    `
input: { http_server: { path: /in } }
output: { nats: { urls: ["${natsServer.address}"], subject: "${unique("off")}" } }
`,
    { GW_STREAMING_ENABLED: "false" },
  );
  const answer = await fetch(`${gateway.url}/in`, { method: "POST", body: "x" });
  assert.equal([answer.status, await answer.json()], [404, { error: "not found" }]);
  await stopped(gateway);
});

test("the brokers stop", async () => {
  await natsServer.stop();
  await mqttServer.stop();
});

function serve(document: string, env: Readonly<Record<string, string>> = {}): Promise<BuiltGateway> {
  const path = join(temporaryDirectory("document"), "api.yaml");
  writeFileSync(path, document.trimStart());
  return buildAndStart([path], env);
}

async function isRunning({ adminUrl }: BuiltGateway, stream: string): Promise<boolean> {
  const { streams } = (await (await fetch(`${adminUrl}/streams`)).json()) as {
    streams: readonly { stream: string; status: string }[];
  };
  return streams.some((each) => each.stream === stream && each.status === "running");
}

async function stopped(gateway: BuiltGateway): Promise<void> {
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
}

test.run();
