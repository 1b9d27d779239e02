// Limits of the operating system: the size of files, as on a full disk, and the number of open files. Also clients that delay
// the shutdown of a gateway.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderWith } from "../cli/documents.ts";
import { apiOf } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { start } from "../harness/processes.ts";
import { until } from "../harness/wait.ts";
import { addressesOf, buildBundle, startBundle } from "./gateway.ts";

/** The maximum size of a file in kilobytes: slightly more than the tables of a new store. */
const most = 600;
const token = "the-token-of-administrators";
const padding = "x".repeat(20_000);
const folder = temporaryDirectory("disk-full");
writeFileSync(
  join(folder, "gateway.yaml"),
  `streaming: { enabled: true }
apis: [orders.yaml]
store: "\${STORE}"
allow_unsafe: [file, sqlite]
portal: { enabled: true, organisation: acme }
policies: [{ id: all, access_rights: { orders: {} } }]
`,
);
writeFileSync(
  join(folder, "orders.yaml"),
  `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: orders, name: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
x-gw-streaming:
  streams:
    buffered:
      input: { http_server: { path: /buffered } }
      buffer: { sqlite: { path: "\${DISK}/buffer.db" } }
      output: { http_client: { url: "\${SINK}", retries: 0 } }
    written:
      input: { http_server: { path: /written } }
      output: { file: { path: "\${DISK}/written.jsonl" } }
    plain:
      input: { http_server: { path: /plain } }
      output: { sync_response: {} }
`,
);

/** Posts messages with rising numbers until one is refused; resolves with the numbers of the confirmed messages. */
async function postUntilRefused(url: string): Promise<{ confirmed: number[]; refusal: string }> {
  const confirmed: number[] = [];
  for (let id = 1; ; id += 1) {
    const body = JSON.stringify({ id, padding });
    const answer = await fetch(url, { method: "POST", body });
    const text = await answer.text();
    if (answer.status !== 200) return { confirmed, refusal: `${answer.status} ${text}` };
    confirmed.push(id);
    if (id > 10_000) throw new Error("nothing is full");
  }
}

test("on a full disk, a gateway serves streams that need none, reports why, and loses no confirmed message", async () => {
  let isAway = true;
  const sunk = new Set<number>();
  const sink = await httpServer(({ body }) => {
    if (isAway) return { status: 503 };
    sunk.add((JSON.parse(body) as { id: number }).id);
    return {};
  });
  const bundle = await buildBundle([join(folder, "gateway.yaml")]);
  const program = start(
    "bash",
    ["-c", `ulimit -S -f ${most} && exec "$0" "$1"`, process.execPath, join(bundle, "gateway.mjs")],
    {
      cwd: bundle,
      env: {
        GW_LISTEN: "127.0.0.1:0",
        GW_ADMIN_LISTEN: "127.0.0.1:0",
        GW_PORTAL_ACCESS_TOKENS: token,
        STORE: `sqlite:${join(folder, "store.db")}`,
        DISK: folder,
        SINK: sink.url,
      },
    },
  );
  const { url, adminUrl } = await addressesOf(program);
  let developers = 0;
  const addDeveloper = async () => {
    developers += 1;
    const { status } = await fetch(`${url}/api/portal/developers`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify({ email: `dev${developers}@example.com`, fields: { about: padding } }),
    });
    return status;
  };
  const readiness = async () => (await fetch(`${adminUrl}/readyz`)).text();

  const buffered = await postUntilRefused(`${url}/orders/buffered`);
  assert.match(
    buffered.refusal,
    /^503 .*The SQLite file of the buffer cannot be written \(disk I\/O error\)/,
  );
  const written = await postUntilRefused(`${url}/orders/written`);
  assert.match(written.refusal, /^502 .*The file cannot be written \(file too large\)/);
  await until(async () => (await addDeveloper()) === 503, {
    what: "the refusal of the store",
  });
  assert.match(await readiness(), /The store accepts no writes: /);
  assert.match(await (await fetch(`${adminUrl}/metrics`)).text(), /^sluice_store_writable 0$/m);
  assert.is((await fetch(`${url}/orders/plain`, { method: "POST", body: "still there" })).status, 200);
  const lines = () => program.output().match(/"msg":"store accepts no writes"/g)?.length;
  assert.is(await addDeveloper(), 503);
  await until(() => lines() === 1, { what: "one line in the log" });

  execFileSync("prlimit", ["--pid", String(program.process.pid), "--fsize=unlimited:"]);
  isAway = false;
  await until(async () => !/The store accepts no writes/.test(await readiness()), {
    what: "the store",
  });
  assert.is(await addDeveloper(), 200);
  for (const path of ["buffered", "written"]) {
    const body = JSON.stringify({ id: 0, padding: "" });
    await until(async () => (await fetch(`${url}/orders/${path}`, { method: "POST", body })).status === 200, {
      what: path,
    });
  }
  const all = [0, ...buffered.confirmed];
  await until(() => all.every((id) => sunk.has(id)), {
    what: "all that the buffer confirmed",
  });
  const kept = readFileSync(join(folder, "written.jsonl"), "utf8").split("\n");
  for (const id of [0, ...written.confirmed]) {
    const [start, end] = [`{"id":${id},`, '"}'];
    assert.ok(
      kept.some((line) => line.startsWith(start) && line.endsWith(end)),
      `message ${id}`,
    );
  }
  assert.is(await program.stop(), 0);
  await sink.close();
});

/** Opens a connection that exposes the data it has received, and whether it has ended. */
function connection(url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const state = { socket, got: "", hasEnded: false };
  socket.on("data", (bytes) => {
    state.got += bytes;
  });
  socket.on("close", () => {
    state.hasEnded = true;
  });
  socket.on("error", () => undefined);
  socket.write(text);
  return state;
}

const asking = `asked:
  input: { http_server: { path: /asked } }
  pipeline: { processors: [{ http: { url: "\${SINK}", verb: POST } }] }
  output: { sync_response: {} }
`;
const post = (url: string) => fetch(url, { method: "POST", body: "text" }).then(({ status }) => status);

test("connections above the file limit are dropped and counted, and accepted ones reach their servers", async () => {
  // Each request needs a new file descriptor.
  const sink = await httpServer(() => ({ headers: { connection: "close" }, body: "reached" }));
  const bundle = await buildBundle([join(folderWith({ "api.yaml": apiOf(asking) }), "api.yaml")]);
  const program = start(
    "bash",
    ["-c", 'ulimit -n 64 && exec "$0" "$1"', process.execPath, join(bundle, "gateway.mjs")],
    {
      cwd: bundle,
      env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", SINK: sink.url },
    },
  );
  const { url, adminUrl } = await addressesOf(program);
  assert.is(await post(`${url}/orders/asked`), 200);
  // Connections of operators are limited in number, so that file descriptors remain.
  const operators = Array.from({ length: 40 }, () => connection(adminUrl, ""));
  await until(() => operators.filter(({ hasEnded }) => !hasEnded).length <= 16, {
    what: "the end of operators' connections that are too many",
  });
  for (const { socket } of operators) socket.destroy();
  const connections = Array.from({ length: 200 }, () => connection(url, ""));
  const open = () => connections.filter(({ hasEnded }) => !hasEnded);
  await until(() => open().length <= 32, { what: "the end of those that are too many" });
  const dropped = connections.length - open().length;
  const request = "POST /orders/asked HTTP/1.1\r\nhost: gateway\r\ncontent-length: 4\r\n\r\ntext";
  const [served] = open();
  served?.socket.write(request);
  await until(() => /^HTTP\/1.1 200 .*reached$/s.test(served?.got ?? ""), {
    what: "the answer over an open connection",
  });
  for (const { socket } of connections) socket.destroy();
  const isServed = async () => (await post(`${url}/orders/asked`).catch(() => 0)) === 200;
  await until(isServed, { what: "a new connection" });
  assert.is(await program.stop(), 0);
  const reported = [
    ...program.output().matchAll(/"connections":(\d+),"most":32,"msg":"too many connections/g),
  ];
  assert.is(reported.length, 2, program.output());
  assert.match(program.output(), /"most":16,"listener":"admin","msg":"too many connections/);
  assert.ok(reported.reduce((sum, [, count]) => sum + Number(count), 0) >= dropped, program.output());
  await sink.close();
});

const lasting = `orders:
  input: { http_server: { path: /new } }
  output: { http_server: { path: /next, stream_path: /events, ws_path: /socket } }
kept:
  input: { http_server: { path: /kept } }
  output: { file: { path: "\${DISK}/kept.txt" } }
`;

test("clients that neither read nor close do not delay the shutdown beyond its timeout", async () => {
  const documents = folderWith({
    "api.yaml": apiOf(lasting),
    "gateway.yaml": "streaming: { enabled: true }\napis: [api.yaml]\nallow_unsafe: [file]\n",
  });
  const gateway = await startBundle(await buildBundle([join(documents, "gateway.yaml")]), {
    DISK: documents,
    GW_SHUTDOWN_TIMEOUT: "2s",
  });
  const { url, program } = gateway;
  const head = (line: string, ...fields: string[]) =>
    `${[line, "host: gateway", ...fields].join("\r\n")}\r\n\r\n`;
  const upgrade = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
  const waiting = connection(url, head("GET /orders/next HTTP/1.1"));
  const events = connection(url, head("GET /orders/events HTTP/1.1"));
  const socket = connection(
    url,
    head("GET /orders/socket HTTP/1.1", ...upgrade, "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="),
  );
  const upload = connection(url, `${head("POST /orders/new HTTP/1.1", "content-length: 1000")}the beginning`);
  const halfHead = connection(url, "GET /orders/next HTTP/1.1\r\nhost:");
  const silent = connection(url, "");
  await until(() => /^HTTP\/1.1 200 /.test(events.got) && /^HTTP\/1.1 101 /.test(socket.got), {
    what: "both streams",
  });
  events.socket.pause();
  assert.is(await post(`${url}/orders/kept`), 200);
  assert.is(await program.stop(), 0);
  assert.match(waiting.got, /^HTTP\/1.1 503 /);
  assert.is(readFileSync(join(documents, "kept.txt"), "utf8"), "text\n");
  events.socket.resume();
  const all = [waiting, events, socket, upload, halfHead, silent];
  await until(() => all.every(({ hasEnded }) => hasEnded), { what: "the end of all connections" });
  assert.is(upload.got, "");
});

test.run();
