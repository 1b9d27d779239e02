import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderWith } from "../cli/documents.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { freePort } from "../harness/ports.ts";
import { findProgram, type Program, run, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";

const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      output: { http_client: { url: "\${BACKEND}/orders", retries: 0 } }
    news:
      input: { http_client: { url: "\${BACKEND}/news", rate_limit: 100ms } }
      output: { http_server: { stream_path: /news, ws_path: /socket } }
`;

const haproxy = findProgram("haproxy");
if (haproxy === undefined) throw new Error("haproxy is not installed");

test("behind HAProxy, replacing a gateway fails no request, and killing one loses nothing", async () => {
  const backend = await httpServer(() => ({ body: "{}" }));
  const folder = folderWith({ "orders.yaml": orders });
  const built = await warmSluice(["build", "orders.yaml", "-o", "out"], { cwd: folder });
  assert.is(built.status, 0, built.stderr);
  const [front, one, oneAdmin, two, twoAdmin] = await Promise.all(
    Array.from({ length: 5 }, () => freePort()),
  );
  const launch = async (port: number | undefined, admin: number | undefined) => {
    const gateway = start(process.execPath, [join(folder, "out/gateway.mjs")], {
      env: {
        BACKEND: backend.url,
        GW_LISTEN: `127.0.0.1:${port}`,
        GW_ADMIN_LISTEN: `127.0.0.1:${admin}`,
        GW_DRAIN_DELAY: "3s",
      },
    });
    await until(async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).status === 200);
    return gateway;
  };
  let first: Program = await launch(one, oneAdmin);
  const second = await launch(two, twoAdmin);
  const ports: Readonly<Record<string, number | undefined>> = {
    ...{ 8000: front, 8080: one, 8081: oneAdmin, 8090: two, 8091: twoAdmin },
  };
  const config = readFileSync(join(projectRoot, "deploy/haproxy/haproxy.cfg"), "utf8");
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    config.replace(/\b80[089][01]\b/g, (port) => String(ports[port])),
  );
  const checked = await run(haproxy, ["-c", "-f", file]);
  assert.is(checked.status, 0, checked.stderr);
  const balancer = start(haproxy, ["-db", "-f", file]);
  const url = `http://127.0.0.1:${front}`;
  const send = async (body: string) =>
    (await fetch(`${url}/new`, { method: "POST", body, headers: { connection: "close" } })).status;
  await until(async () => (await send("first")) === 200);
  const events = await sse(`${url}/news`);
  assert.is((await events.next()).data, "{}");
  events.close();
  const socket = new WebSocket(`${url.replace("http:", "ws:")}/socket`);
  const [message] = (await once(socket, "message")) as [MessageEvent];
  assert.is(String(message.data), "{}");
  socket.close();

  const confirmed: string[] = [];
  const failures: string[] = [];
  let isOver = false;
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let number = 0; !isOver; number += 1) {
      const body = `${client}-${number}`;
      const status = await send(body).catch((error: Error) => error.message);
      if (status === 200) confirmed.push(body);
      else failures.push(`${body}: ${status}`);
    }
  });
  const more = async (count: number) => {
    const before = confirmed.length;
    await until(() => confirmed.length >= before + count);
  };
  await more(50);
  assert.is(await first.stop(), 0, first.output());
  await more(50);
  first = await launch(one, oneAdmin);
  await more(50);
  assert.equal(failures, [], "no request fails while a gateway is replaced");

  await second.stop("SIGKILL");
  await more(50);
  isOver = true;
  await Promise.all(clients);
  const taken = new Set(backend.requests.filter(({ path }) => path === "/orders").map(({ body }) => body));
  assert.equal(
    confirmed.filter((body) => !taken.has(body)),
    [],
    "what was confirmed is there",
  );
  await balancer.stop();
  await first.stop("SIGKILL");
  await backend.close();
});

test.run();
