import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { sse } from "../harness/sse-client.ts";
import { eventually, until } from "../harness/wait.ts";
import { socket } from "../harness/websocket-client.ts";
import { type BuiltGateway, buildAndStart, buildBundle, isReady, startBundle, whenReady } from "./gateway.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /orders } }
      pipeline:
        processors:
          - metric: { type: counter, name: orders_taken }
      output: { http_client: { url: "\${BACKEND}/orders", retries: 0 } }
    chat:
      input: { http_server: { path: /said, ws_path: /talk } }
      output: { http_server: { stream_path: /heard, ws_path: /talk } }
    background:
      input: { http_client: { url: "\${BACKEND}/poll", rate_limit: 50ms } }
      output: { http_client: { url: "\${BACKEND}/polled" } }
`;

/** Built once; every test starts it again. */
const bundle = await build(document);

async function build(text: string): Promise<string> {
  const file = join(temporaryDirectory("workers"), "orders.yaml");
  writeFileSync(file, text);
  return buildBundle([file]);
}

function launch(backend: string, env: Record<string, string> = {}): Promise<BuiltGateway> {
  return startBundle(bundle, { BACKEND: backend, GW_WORKERS: "3", ...env });
}

interface State {
  readonly stream: string;
  readonly worker: number;
}

async function states(gateway: BuiltGateway): Promise<readonly State[]> {
  return JSON.parse(await (await fetch(`${gateway.adminUrl}/streams`)).text()).streams;
}

test("streams run in every worker where possible, and otherwise in one", async () => {
  const backend = await httpServer();
  const gateway = await launch(backend.url);
  await whenReady(gateway);
  const running = (await states(gateway)).map(({ stream, worker }) => `${stream} ${worker}`);
  assert.equal(running.toSorted(), ["background 0", "chat 0", "intake 0", "intake 1", "intake 2"]);
  // Node distributes connections to the workers in turn.
  for (let index = 0; index < 6; index += 1) {
    const answer = await fetch(`${gateway.url}/orders`, {
      method: "POST",
      body: `${index}`,
      headers: { connection: "close" },
    });
    assert.is(answer.status, 200);
  }
  const taken = backend.requests.filter(({ path }) => path === "/orders").map(({ body }) => body);
  assert.equal(taken, ["0", "1", "2", "3", "4", "5"]);
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  assert.is(
    metrics,
    `# TYPE orders_taken counter\n# HELP orders_taken Recorded by processors of streams\n${[0, 1, 2].map((worker) => `orders_taken{worker="${worker}"} 2\n`).join("")}`,
  );
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await backend.close();
});

test("messages reach clients on any worker", async () => {
  const backend = await httpServer();
  const gateway = await launch(backend.url);
  await whenReady(gateway);
  const listeners = [
    await sse(`${gateway.url}/heard`),
    await sse(`${gateway.url}/heard`),
    await sse(`${gateway.url}/heard`),
  ];
  const said = ["a", "b", "c", "d", "e", "f"];
  for (const body of said) {
    const answer = await fetch(`${gateway.url}/said`, {
      method: "POST",
      body,
      headers: { connection: "close" },
    });
    assert.equal([answer.status, await answer.text()], [200, ""]);
  }
  await until(() => listeners.flatMap(({ events }) => events).length === said.length);
  assert.equal(
    listeners.map(({ events }) => events.map(({ data }) => data)),
    [
      ["a", "d"],
      ["b", "e"],
      ["c", "f"],
    ],
    "in turn over the clients of all workers",
  );
  for (const listener of listeners) listener.close();
  const refused = await fetch(`${gateway.url}/said`);
  assert.equal([refused.status, refused.headers.get("allow")], [405, "POST"]);

  const sockets = await Promise.all(
    Array.from({ length: 3 }, () => socket(`${gateway.url.replace("http", "ws")}/talk`)),
  );
  sockets[0]?.send("hello");
  await until(() => sockets.flatMap(({ messages }) => messages).length === 1);
  for (const socket of sockets) await socket.close();
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await backend.close();
});

test("requests that workers pass on are reported once, by the worker that serves them", async () => {
  const folder = temporaryDirectory("workers");
  const secret = "secret of the shop";
  const hash = createHash("sha256").update(secret).digest("hex");
  const key = { alias: "shop", key_hash: hash, access_rights: { orders: { api_id: "orders" } } };
  const settings = {
    streaming: { enabled: true },
    apis: ["orders.json"],
    analytics: { prometheus: { enabled: true } },
    keys: [key],
  };
  const api = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1.0.0" },
    paths: {},
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
    "x-gw-api-gateway": {
      info: { id: "orders" },
      server: {
        listenPath: { value: "/orders/" },
        authentication: { enabled: true, securitySchemes: { key: { enabled: true } } },
      },
      middleware: { global: { trafficLogs: { enabled: true } } },
    },
    "x-gw-streaming": {
      streams: {
        chat: {
          input: { http_server: { path: "/said", ws_path: "/talk" } },
          output: { http_server: { stream_path: "/heard", ws_path: "/talk" } },
        },
      },
    },
  };
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(settings));
  writeFileSync(join(folder, "orders.json"), JSON.stringify(api));
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], { GW_WORKERS: "2" });
  const url = `${gateway.url}/orders`;
  const headers = { "x-api-key": secret };

  // Two of each, one after the other on connections of their own: Node distributes these to the workers in turn.
  for (const _ of ["one", "other"]) {
    const refused = await fetch(`${url}/said`, { method: "POST", headers: { connection: "close" } });
    assert.is(refused.status, 401);
  }
  const listeners = [await sse(`${url}/heard`, { headers }), await sse(`${url}/heard`, { headers })];
  const sockets = [await socket(`${url}/talk`, { headers }), await socket(`${url}/talk`, { headers })];
  const metric = async (pattern: RegExp) => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  await eventually(() => metric(/^sluice_requests_refused_total\{.*\} (\d+)$/gm), 2);
  await eventually(() => metric(/^sluice_connections_open\{.*transport="stream".*\} (\d+)$/gm), 2);
  await eventually(() => metric(/^sluice_connections_open\{.*transport="websocket".*\} (\d+)$/gm), 2);
  for (const each of listeners) each.close();
  for (const each of sockets) await each.close();
  await eventually(() => metric(/^sluice_requests_total\{.*\} (\d+)$/gm), 6);
  // Only ordinary requests have a duration.
  assert.is(await metric(/^sluice_request_duration_seconds_count\{.*\} (\d+)$/gm), 2);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  const lines = gateway.program
    .output()
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line))
    .map(({ transport, status, caller, refusal }) => `${transport} ${status} ${caller ?? refusal}`);
  const [refusal] = lines.filter((line) => line.startsWith("http 401 "));
  assert.equal(lines.toSorted(), [
    refusal,
    refusal,
    "stream 200 shop",
    "stream 200 shop",
    "websocket 101 shop",
    "websocket 101 shop",
  ]);
  assert.not.match(String(refusal), "undefined");
});

test("a killed worker is restarted, with its streams", async () => {
  const backend = await httpServer();
  const gateway = await launch(backend.url, { GW_LOG_LEVEL: "info" });
  await whenReady(gateway);
  const polls = () => backend.requests.filter(({ path }) => path === "/poll").length;
  await until(() => polls() > 0);
  const [line] = await gateway.program.matching(/^.*"msg":"worker started".*$/m);
  const { worker, process: pid } = JSON.parse(line);
  assert.is(worker, 0);
  process.kill(pid, "SIGKILL");
  await gateway.program.matching(/"msg":"worker ended"/);
  const before = polls();
  await whenReady(gateway);
  await until(() => polls() > before);
  const answer = await fetch(`${gateway.url}/orders`, { method: "POST", body: "order" });
  assert.is(answer.status, 200);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await backend.close();
});

test("connections handed to a killed worker are passed to another one", async () => {
  const backend = await httpServer();
  const gateway = await launch(backend.url, { GW_LOG_LEVEL: "info" });
  await whenReady(gateway);
  const stuck = await processOf(gateway, 1);
  process.kill(stuck, "SIGSTOP");
  let answered = 0;
  const answers = ["a", "b", "c", "d", "e", "f"].map(async (body) => {
    const answer = await fetch(`${gateway.url}/orders`, {
      method: "POST",
      body,
      headers: { connection: "close" },
    });
    answered += 1;
    return answer.status;
  });
  await until(() => answered === 5, { what: "all but the one that the stopped worker was given" });
  process.kill(stuck, "SIGKILL");
  assert.equal(await Promise.all(answers), [200, 200, 200, 200, 200, 200]);
  const taken = backend.requests.filter(({ path }) => path === "/orders").map(({ body }) => body);
  assert.equal(taken.toSorted(), ["a", "b", "c", "d", "e", "f"]);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await backend.close();
});

test("a worker that fails repeatedly is restarted with growing delays", async () => {
  const backend = await httpServer();
  const gateway = await launch(backend.url, { GW_LOG_LEVEL: "info" });
  const pauses = () =>
    [...gateway.program.output().matchAll(/"restartIn":([\d.]+)/g)].map(([, text]) => Number(text));
  for (const deaths of [1, 2, 3]) {
    await whenReady(gateway);
    process.kill(await processOf(gateway, 1), "SIGKILL");
    await until(() => pauses().length === deaths);
  }
  const [first = 0, , third = 0] = pauses();
  assert.ok(first <= 500 && third >= 1_000, `${pauses()}`);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await backend.close();
});

/**
 * Returns the running process of a worker, when the log at level `info` has it: a gateway may be ready before what it
 * wrote has been read.
 */
function processOf(gateway: BuiltGateway, worker: number): Promise<number> {
  const started = new RegExp(`"worker":${worker},"process":(\\d+),"msg":"worker started"`, "g");
  return until(
    () => {
      const last = Number([...gateway.program.output().matchAll(started)].at(-1)?.[1]);
      return last > 0 && isAlive(last) && last;
    },
    { what: `worker ${worker} in the log` },
  );
}

test("messages in flight between workers are delivered before the gateway stops", async () => {
  const held = Promise.withResolvers<void>();
  const backend = await httpServer(async () => {
    await held.promise;
    return {};
  });
  const file = join(temporaryDirectory("workers"), "orders.yaml");
  writeFileSync(
    file,
    `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    taken: { input: { http_server: { path: /orders, timeout: 60s } }, output: { inproc: orders } }
    kept: { input: { inproc: orders }, output: { http_client: { url: "\${BACKEND}/orders", timeout: 60s } } }
    news: { input: { http_server: { path: /said } }, output: { http_server: { stream_path: /heard } } }
`,
  );
  const gateway = await buildAndStart([file], { BACKEND: backend.url, GW_WORKERS: "3" });
  const listeners = [
    await sse(`${gateway.url}/heard`),
    await sse(`${gateway.url}/heard`),
    await sse(`${gateway.url}/heard`),
  ];
  const answers = Promise.all(
    ["a", "b", "c"].map((body) =>
      fetch(`${gateway.url}/orders`, { method: "POST", body, headers: { connection: "close" } }),
    ),
  );
  await until(() => backend.requests.length === 3);
  const stopped = gateway.program.stop();
  await Promise.all(listeners.map(({ ended }) => ended));
  held.resolve();
  assert.equal(
    (await answers).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.is(await stopped, 0, gateway.program.output());
  await backend.close();
});

test("a stopping gateway serves during its drain delay, and reports that it is not ready", async () => {
  const backend = await httpServer();
  for (const workers of ["1", "2"]) {
    // The delay is longer than the test: everything in it happens within the delay.
    const gateway = await launch(backend.url, { GW_WORKERS: workers, GW_DRAIN_DELAY: "10m" });
    await whenReady(gateway);
    const before = backend.requests.filter(({ path }) => path === "/orders").length;
    gateway.program.process.kill("SIGTERM");
    await until(async () => !(await isReady(gateway)));
    assert.is((await fetch(`${gateway.adminUrl}/healthz`)).status, 200);
    const answer = await fetch(`${gateway.url}/orders`, {
      method: "POST",
      body: "late",
      headers: { connection: "close" },
    });
    assert.is(answer.status, 200);
    assert.is(backend.requests.filter(({ path }) => path === "/orders").length, before + 1);
    assert.is(await gateway.program.stop(), 1, "a second signal does not wait for the delay");
  }
  const short = await launch(backend.url, { GW_DRAIN_DELAY: "50ms", GW_LOG_LEVEL: "info" });
  await whenReady(short);
  assert.is(await short.program.stop(), 0, short.program.output());
  assert.match(short.program.output(), /"delay":50,"msg":"draining"[\s\S]*"msg":"stopping"/);
  await backend.close();
});

test("workers whose primary is killed finish requests in flight, and exit", async () => {
  const held = Promise.withResolvers<void>();
  const backend = await httpServer(async ({ path }) => {
    if (path === "/orders") await held.promise;
    return {};
  });
  const gateway = await launch(backend.url, { GW_LOG_LEVEL: "info" });
  await whenReady(gateway);
  const processes = await Promise.all([0, 1, 2].map((worker) => processOf(gateway, worker)));
  const answers = Promise.all(
    ["a", "b", "c"].map((body) =>
      fetch(`${gateway.url}/orders`, { method: "POST", body, headers: { connection: "close" } }),
    ),
  );
  const listener = await sse(`${gateway.url}/heard`);
  const arrived = () => backend.requests.filter(({ path }) => path === "/orders").length;
  await until(() => arrived() === 3);
  gateway.program.process.kill("SIGKILL");
  await listener.ended;
  held.resolve();
  assert.equal(
    (await answers).map(({ status }) => status),
    [200, 200, 200],
  );
  await until(() => processes.every((each) => !isAlive(each)));
  assert.is(arrived(), 3);
  await backend.close();
});

function isAlive(worker: number): boolean {
  try {
    return process.kill(worker, 0);
  } catch {
    return false; // there is no such process
  }
}

test("an error that prevents every worker from starting is reported once", async () => {
  const backend = await httpServer();
  const folder = temporaryDirectory("workers");
  writeFileSync(join(folder, "orders.yaml"), document.replace("/orders }", '/orders, timeout: "${WAIT}" }'));
  const started = buildAndStart([join(folder, "orders.yaml")], { BACKEND: backend.url, GW_WORKERS: "2" });
  const failure = await started.then(
    () => undefined,
    (error: Error) => error.message,
  );
  assert.is(failure?.match(/WAIT \([^)]*\) is not set/g)?.length, 1, failure);
  await backend.close();
});

test.run();
