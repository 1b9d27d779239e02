import { once } from "node:events";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { WebSocketServer } from "ws";
import { projectRoot, temporaryDirectory } from "./directories.ts";
import { httpServer } from "./http-server.ts";
import { run, start } from "./processes.ts";
import { Queue } from "./queue.ts";
import { sluice, warmSluice } from "./sluice.ts";
import { sse } from "./sse-client.ts";
import { eventually, until } from "./wait.ts";
import { socket, UpgradeRefused } from "./websocket-client.ts";

test("commands have the same results in their own process and in a warm one", async () => {
  const cwd = temporaryDirectory("commands");
  writeFileSync(join(cwd, "api.yaml"), "openapi: 3.1.1\ninfo: { title: A }\n");
  const env = { NO_COLOR: "1" };
  const commands = [
    ["check", "api.yaml"],
    ["chekc"],
    ["check", "api.yaml", "--format", "json"],
    ["--version"],
  ];
  for (const args of commands) {
    assert.equal(await warmSluice(args, { cwd, env }), await sluice(args, { cwd, env }), args.join(" "));
  }
  const all = await Promise.all(commands.map((args) => warmSluice(args, { cwd, env })));
  assert.equal(
    all.map(({ status }) => status),
    [1, 64, 1, 0],
  );
});

test("delays keep everything in its order", async () => {
  const delays = pathToFileURL(join(projectRoot, "test/harness/delays.ts")).href;
  const numbers = Array.from({ length: 200 }, (_, number) => String(number));
  const program = `
    import { once } from "node:events";
    import { connect, createServer } from "node:net";
    const server = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
    client.on("data", (text) => console.log(text));
    for (const number of ${JSON.stringify(numbers)}) {
      client.write(number + "\\n");
      await new Promise(setImmediate);
    }
    client.end();
    await once(client, "close");
    server.close();`;
  const { stdout, stderr } = await run(process.execPath, [
    "--import",
    delays,
    "--input-type=module",
    "-e",
    program,
  ]);
  assert.equal(stdout.split(/\s+/).filter(Boolean), numbers, stderr);
});

test("until returns the first value that is present, and names what it waited for on timeout", async () => {
  let asked = 0;
  assert.is(await until(() => (asked++ < 3 ? undefined : 0)), 0);
  const late = await until(() => false, { timeout: 10, what: "the impossible" }).catch(String);
  assert.is(late, "Error: the impossible did not come true in 10 ms");
  const silent = await until(() => new Promise<string>(() => {}), { timeout: 10, what: "an answer" }).catch(
    String,
  );
  assert.match(silent, /an answer did not come true in 10 ms/);
});

test("eventually waits for a value or a text, and fails with the difference", async () => {
  let reads = 0;
  await eventually(() => ({ reads: ++reads }), { reads: 3 });
  await eventually(async () => `read ${++reads} times`, /^read 5 /);
  const wrong = await eventually(() => [1], [2], { timeout: 10 }).catch((error) => error);
  assert.equal([wrong.actual, wrong.expects], [[1], [2]]);
});

test("page assertions wait: none reads a page once", () => {
  const reads =
    "count|textContent|allTextContents|innerText|allInnerTexts|getAttribute|inputValue|isChecked|isVisible|isEnabled|title";
  const once = new RegExp(`assert\\.[\\w.]+\\([^;\\n]*(?:await [^;\\n]*\\.(?:${reads})\\(|page\\.url\\(\\))`);
  const files = globSync("test/**/*.chromium.test.ts", { cwd: projectRoot });
  assert.ok(files.length > 10);
  const found = files.flatMap((file) =>
    readFileSync(join(projectRoot, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (once.test(line) ? [`${file}:${index + 1}: use \`eventually\``] : [])),
  );
  assert.equal(found, []);
});

test("a queue returns values pushed before and after a request", async () => {
  const queue = new Queue<number>();
  queue.push(1);
  const all = queue.take(3);
  queue.push(2);
  queue.push(3);
  assert.equal(await all, [1, 2, 3]);
  queue.close("over");
  assert.is(await queue.next().catch(String), "Error: over");
});

test("an HTTP server records requests and sends the given responses", async () => {
  const server = await httpServer(({ body }) => ({ status: 201, body: { echo: body } }));
  const response = await fetch(`${server.url}/orders?x=1`, { method: "POST", body: "hello" });
  assert.is(response.status, 201);
  assert.equal(await response.json(), { echo: "hello" });
  assert.is(`${server.requests[0]?.method} ${server.requests[0]?.path}`, "POST /orders?x=1");
  await server.close();
});

test("an SSE client parses frames split into arbitrary chunks", async () => {
  const text = ": hi\r\ndata: a\r\ndata:b\r\n\r\nevent: order\nid: 7\ndata: c\n\ndata: lost at the end";
  const server = createServer(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const character of text) await written(response, character);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = await sse(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens
  assert.equal(await client.next(), { event: "message", data: "a\nb", id: "" });
  assert.equal(await client.next(), { event: "order", data: "c", id: "7" });
  assert.is(await client.next().catch(String), "Error: the event stream ended");
  assert.equal(client.comments, ["hi"]);
  server.close();
});

test("an SSE client rejects responses that are not event streams", async () => {
  const server = await httpServer(() => ({ status: 503, body: "later" }));
  assert.match(await sse(server.url).then(String, String), /no event stream at .*: 503 .*later/);
  await server.close();
});

test("a WebSocket client distinguishes text and binary, and reports a rejected upgrade", async () => {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`; // it listens
  const sockets = new WebSocketServer({ server: http, path: "/" });
  sockets.on("connection", (peer) => peer.on("message", (message, binary) => peer.send(message, { binary })));
  const client = await socket(url);
  await client.send("text");
  await client.send(Buffer.from([1, 2]));
  assert.equal(await client.take(2), ["text", Buffer.from([1, 2])]);
  assert.is((await client.close()).code, 1005);
  const refusal = await socket(`${url}elsewhere`).catch((error: unknown) => error);
  assert.ok(refusal instanceof UpgradeRefused && refusal.status === 400);
  sockets.close();
  http.close();
});

test("exit status, output and readiness of a program are observed", async () => {
  const outcome = await run(process.execPath, ["-e", "process.stdin.pipe(process.stdout)"], { input: "in" });
  assert.equal(outcome, { status: 0, stdout: "in", stderr: "" });
  const server = start(process.execPath, ["-e", "console.log('port 99'); setInterval(() => {}, 1000)"]);
  assert.is((await server.matching(/port (\d+)/))[1], "99");
  assert.is(await server.stop(), "SIGTERM");
  const broken = start(process.execPath, ["-e", "console.error('no luck'); process.exit(3)"]);
  assert.match(await broken.matching(/ready/).then(String, String), /it ended with 3; it wrote:\nno luck/);
});

test("programs and directories end with the process that made them, even if a signal ends it", async () => {
  const text = `
    import { temporaryDirectory } from ${JSON.stringify(import.meta.resolve("./directories.ts"))};
    import { start } from ${JSON.stringify(import.meta.resolve("./processes.ts"))};
    const cwd = temporaryDirectory("ended");
    const writing = "let files = 0; setInterval(() => fs.writeFileSync(String(files++), ''), 1)";
    const program = start(process.execPath, ["-e", writing], { cwd });
    console.log("started " + program.process.pid + " in " + cwd + ".");`;
  const parent = start(process.execPath, ["--input-type=module", "--eval", text]);
  const [, pid, directory = ""] = await parent.matching(/started (\d+) in (.+)\./);
  assert.is(await parent.stop("SIGTERM"), "SIGTERM");
  assert.not(existsSync(directory));
  await until(() => !isRunning(Number(pid)), { what: `the end of process ${pid}` });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no process has that id any longer
  }
}

async function written(response: ServerResponse, text: string): Promise<void> {
  await new Promise((done) => response.write(text, done));
}

test.run();
