import { test } from "uvu";
import * as assert from "uvu/assert";
import type { RateLimit } from "../../../runtime/component/resource.ts";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { httpClientOutput } from "../../../runtime/connectors/http-client/output.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { sharing } from "../../../runtime/gateway.ts";
import { http } from "../../../runtime/processors/http.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { batchOf, componentContext, inputContext } from "../connectors/contexts.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

/** Returns a limit that allows as much as the test sets. */
function givenLimit(): RateLimit & { left: number; asked: number; bytes: number } {
  return {
    left: 0,
    asked: 0,
    bytes: 0,
    take(bytes) {
      this.asked += 1;
      if (this.left === 0) return 1;
      this.left -= 1;
      this.bytes += bytes;
      return 0;
    },
  };
}

async function serving(limit: RateLimit) {
  const output = memoryOutput();
  const intake = () =>
    sharing([limit], () => ({
      input: httpServerInput({ path: "/in", ws_path: "/ws", rate_limit: limit }),
      output,
    }));
  const gateway = await startGateway([ordersApi({ intake })]);
  await until(() => gateway.streams.unready().length === 0);
  const post = (body: string) => fetch(`${gateway.url}/orders/in`, { method: "POST", body });
  return { gateway, output, post };
}

test("requests over the limit are answered 429 with Retry-After", async () => {
  let wait = 0;
  const { gateway, output, post } = await serving({ take: () => wait });
  assert.is((await post("a")).status, 200);
  wait = 1_200;
  const refused = await post("b");
  assert.is(refused.status, 429);
  assert.is(refused.headers.get("retry-after"), "2");
  assert.equal(await refused.json(), { error: "Too many requests" });
  wait = 0;
  assert.is((await post("c")).status, 200);
  assert.equal(output.texts, ["a", "c"]);
  await gateway.close();
});

test("an unavailable rate limit rejects requests", async () => {
  const { gateway, post } = await serving({
    take: () => Promise.reject(new GatewayError(502, "Redis cannot be reached")),
  });
  const refused = await post("a");
  assert.is(refused.status, 503);
  assert.equal(await refused.json(), { error: "Rate limit unavailable" });
  await gateway.close();
});

test("WebSocket frames over the limit are delayed", async () => {
  const limit = givenLimit();
  const { gateway, output } = await serving(limit);
  const client = await socket(`${gateway.url}/orders/ws`);
  await client.send("one");
  await client.send("two");
  await until(() => limit.asked > 3, { what: "the question for both frames, again and again" });
  assert.equal(output.texts, []);
  limit.left = 2;
  await until(() => output.texts.length === 2, { what: "both frames" });
  assert.equal([...output.texts].sort(), ["one", "two"]);
  assert.is(limit.bytes, 6);
  await client.close();
  await gateway.close();
});

test("each attempt of an HTTP client waits for its rate limit", async () => {
  let count = 0;
  const server = await httpServer(() => ({ status: ++count % 2 === 1 ? 500 : 200, body: "reply" }));
  const limit = givenLimit();
  const options = { url: server.url, rate_limit: limit, retry_period: 1 };
  const output = httpClientOutput(options);
  await output.start(componentContext());
  const written = output.write(batchOf("a"));
  await until(() => limit.asked > 2, { what: "the question" });
  assert.is(server.requests.length, 0);
  limit.left = 1;
  await until(() => server.requests.length === 1, { what: "the first attempt" });
  limit.left = 1;
  await written;
  assert.is(server.requests.length, 2);

  const processed = http(options).process(batchOf("b"), componentContext());
  limit.left = 2;
  assert.is(Buffer.from((await processed)[0]?.[0]?.bytes() ?? []).toString(), "reply");
  assert.is(server.requests.length, 4);
  await output.close();
  await server.close();
});

test("polls wait for their rate limit, and stop waiting when the input closes", async () => {
  const server = await httpServer(() => ({ body: "page" }));
  const limit = givenLimit();
  const context = inputContext();
  const input = httpClientInput({ url: server.url, rate_limit: limit });
  await input.start(context);
  await until(() => limit.asked > 2, { what: "the question" });
  assert.is(server.requests.length, 0);
  limit.left = 1;
  (await context.deliveries.next()).confirm();
  await until(() => limit.asked > 6, { what: "the question for the next poll" });
  assert.is(server.requests.length, 1);
  await input.close();
  await server.close();
});

test.run();
