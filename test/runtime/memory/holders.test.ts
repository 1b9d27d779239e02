import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { toGatewayError } from "../../../runtime/errors.ts";
import { answerLimit, bodyBudget } from "../../../runtime/process/memory/body-budget.ts";
import { http } from "../../../runtime/processors/http.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { keys, startTestService } from "../../management/services.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "../connectors/contexts.ts";
import { serveOauth } from "../oauth/served.ts";
import { startPortal, tokens } from "../portal/portals.ts";
import { freshFile } from "../store/databases.ts";

const nothingHeld = () => until(() => bodyBudget.used === 0, { what: "every byte given back" });

/** Runs `work` while `bytes` bytes of the budget are left. */
async function withRoom<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const others = bodyBudget.hold();
  assert.is(others.take(bodyBudget.limit - bytes), undefined);
  try {
    return await work();
  } finally {
    others.release();
  }
}

/**
 * Checks that a server accepts a body, refuses it with 503 if there is no room, and accepts it again. Also checks a
 * body that its client aborts.
 */
async function assertBounded(post: (signal?: AbortSignal) => Promise<Response>): Promise<void> {
  for (const room of [0, 1]) {
    const refused = await withRoom(room, () => post());
    await refused.arrayBuffer();
    assert.equal([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    await nothingHeld();
  }
  const taken = await post();
  await taken.arrayBuffer();
  assert.is.not(taken.status, 503);
  await nothingHeld();
}

/** Starts a body of `type` that the server holds, and disconnects. */
async function assertLeft(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "POST",
): Promise<void> {
  const leaving = new AbortController();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{"a":')) });
  const asked = fetch(url, { method, headers, body, duplex: "half", signal: leaving.signal });
  const outcome = asked.catch((error: unknown) => error);
  await until(() => bodyBudget.used === 5, { what: "the beginning of the body" });
  leaving.abort();
  assert.instance(await outcome, DOMException);
  await nothingHeld();
}

test("forms of the OAuth endpoints count against the budget", async () => {
  const oauth = await serveOauth();
  const url = `${oauth.url}/oauth/token`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await assertBounded(() => fetch(url, { method: "POST", headers, body: "grant_type=client_credentials" }));
  await assertLeft(url, headers);
  const refused = await withRoom(0, () => oauth.ask("token", "grant_type=client_credentials"));
  assert.is(refused.body.error, "temporarily_unavailable");
  const long = await oauth.ask("token", `scope=${"x".repeat(20_000)}`);
  assert.equal([long.status, long.body.error], [413, "invalid_request"]);
  await nothingHeld();
  await oauth.close();
});

test("bodies of the portal count against the budget", async () => {
  const portal = await startPortal(await freshFile());
  const url = `${portal.url}/api/portal/requests`;
  const headers = { authorization: tokens.acme, "content-type": "application/json" };
  await assertBounded(() => fetch(url, { method: "POST", headers, body: "{}" }));
  await assertLeft(url, headers);
  await portal.close();
});

test("bodies of the management service count against the budget", async () => {
  const settings = { limits: { max_bytes_in_flight: 1_000_000 } };
  const service = await startTestService(await freshFile(), { settings });
  assert.is(bodyBudget.limit, 1_000_000);
  const url = `${service.address}/api/apis/streams`;
  const headers = { authorization: keys.own, "content-type": "application/json" };
  await assertBounded(() => fetch(url, { method: "POST", headers, body: "{}" }));
  await assertLeft(url, headers);
  await service.close();
});

test("the environment overrides management.yaml", async () => {
  const service = await startTestService(await freshFile(), {
    settings: { limits: { max_bytes_in_flight: 1_000_000 } },
    environment: { GW_MAX_BYTES_IN_FLIGHT: "2000000" },
  });
  assert.is(bodyBudget.limit, 2_000_000);
  await service.close();
});

test("an http response that exceeds the budget fails its attempt, and a later one may fit", async () => {
  const server = await httpServer(() => ({ body: "x".repeat(1_000) }));
  const step = http({ url: server.url, retries: 0 });
  const work = async () => {
    const [result = []] = await step.process(batchOf("m"), componentContext());
    return result;
  };
  const [refused] = await withRoom(999, work);
  assert.match(String(refused?.failure), "The answer is too large for now");
  assert.is(bodyBudget.used, 0);
  assert.is(textOfBatch(await work()), "x".repeat(1_000));
  assert.is(bodyBudget.used, 0);
  await step.close?.();
  await server.close();
});

test("responses over limits.max_answer_bytes fail their message permanently, even if compressed", async () => {
  const bodies: Readonly<Record<string, { readonly body: Buffer; readonly encoding?: string }>> = {
    "/plain": { body: Buffer.alloc(1_001) },
    "/gzip": { body: gzipSync(Buffer.alloc(2 ** 24)), encoding: "gzip" },
    "/br": { body: brotliCompressSync(Buffer.alloc(2 ** 24)), encoding: "br" },
    "/fits": { body: Buffer.alloc(1_000) },
    "/fits/packed": { body: gzipSync(Buffer.alloc(1_000)), encoding: "gzip" },
  };
  const asked: string[] = [];
  const server = createServer(({ url = "", method = "" }, response) => {
    asked.push(`${method} ${url}`);
    const { body = Buffer.alloc(2 ** 24), encoding } = bodies[url] ?? {};
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    if (url === "/head") response.setHeader("content-length", 2 ** 40);
    response.end(method === "HEAD" ? undefined : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const whole = answerLimit.bytes;
  answerLimit.bytes = 1_000;
  for (const path of ["/plain", "/gzip", "/br", "/endless", "/fits", "/fits/packed", "/head"]) {
    const verb = path === "/head" ? "HEAD" : "POST";
    const step = http({ url: `http://127.0.0.1:${port}${path}`, verb, retries: 3, retry_period: 0 });
    const [[result] = []] = await step.process(batchOf("m"), componentContext());
    if (path.startsWith("/fits") || path === "/head") assert.is(result?.failure, undefined, path);
    else {
      const text = "The answer is larger than 1000 bytes, the limit of answers (limits.max_answer_bytes)";
      assert.is(result?.failure?.message, text, path);
      assert.is(toGatewayError(result?.failure, 500, "").retryable, false);
    }
    assert.is(bodyBudget.used, 0);
    await step.close?.();
  }
  answerLimit.bytes = whole;
  assert.is(asked.length, 7, "none is sent again");
  server.closeAllConnections();
  server.close();
});

test("truncated and slow responses release their bytes", async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("x".repeat(100), () => {
      if (request.url === "/broken") response.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (const path of ["broken", "slow"]) {
    const step = http({ url: `http://127.0.0.1:${port}/${path}`, retries: 0, timeout: 100 });
    const [[refused] = []] = await step.process(batchOf("m"), componentContext());
    assert.ok(refused?.failure);
    assert.is(bodyBudget.used, 0);
    await step.close?.();
  }
  server.closeAllConnections();
  server.close();
});

test("an unfinished line of http_client waits for budget, and is released on close", async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => answers.push(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const context = inputContext();
  const input = httpClientInput({ url: `http://127.0.0.1:${port}/`, stream: { enabled: true } });
  await input.start(context);
  const answer = await until(() => answers[0]);
  answer.write("whole\npart");
  const first = await context.deliveries.next();
  assert.is(first.text, "whole");
  first.confirm();
  await until(() => bodyBudget.used === 4, { what: "the part" });
  await withRoom(bodyBudget.used, async () => {
    const { used } = bodyBudget;
    answer.write("ly there");
    await until(() => answer.writableLength === 0);
    assert.is(bodyBudget.used, used);
  });
  await until(() => bodyBudget.used === 12, { what: "more of the part" });
  answer.write(" and whole\n");
  const second = await context.deliveries.next();
  assert.is(second.text, "partly there and whole");
  second.confirm();
  await nothingHeld();
  answer.write("left");
  await until(() => bodyBudget.used === 4);
  await input.close();
  assert.is(bodyBudget.used, 0);
  server.closeAllConnections();
  server.close();
});

test.run();
