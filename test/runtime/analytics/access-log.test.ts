import { Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { accessLog } from "../../../runtime/analytics/access-log.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { ChainStep } from "../../../runtime/http/call.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway, type TestGateway } from "../gateway/start-gateway.ts";

const test = suite("access log");

const start = (authentication: ChainStep = () => "next") =>
  startGateway(
    [
      {
        ...ordersApi({
          intake: () => ({ input: httpServerInput({ path: "/in/{id}" }), output: memoryOutput() }),
          out: () => ({ input: manualInput(), output: httpServerOutput({ ws_path: "/talk" }) }),
        }),
        logged: true,
      },
      { id: "quiet", listenPath: "/quiet/", streams: {} },
    ],
    { analytics: () => observe(accessLog()), steps: { authentication } },
  );

const linesOf = (gateway: TestGateway) => gateway.lines.filter(({ msg }) => msg === "request");

test("each request is logged on one line, without its secrets", async () => {
  const session = { id: "5f2b9c0d11aa", limits: {}, isInactive: false, tags: [], metadata: new Map() };
  const gateway = await start((call) => {
    call.caller = { token: "secret-token", session };
    return "next";
  });
  const response = await fetch(`${gateway.url}/orders/in/secret-id?api_key=secret-query`, {
    method: "POST",
    body: "12345",
    headers: { authorization: "secret-token", cookie: "session=secret-cookie", "user-agent": "curl/8" },
  });
  assert.is(response.status, 200);
  const [line] = await until(() => (linesOf(gateway).length === 1 ? linesOf(gateway) : undefined));
  const { time: _time, duration, received, sent, requestId, ...rest } = line ?? {};
  assert.equal(rest, {
    level: "info",
    msg: "request",
    api: "orders",
    verb: "POST",
    route: "/orders/in/{id}",
    stream: "intake",
    transport: "http",
    status: 200,
    caller: "5f2b9c0d",
    remoteAddress: "127.0.0.1",
    userAgent: "curl/8",
  });
  assert.match(String(requestId), /^[0-9a-f-]{36}$/);
  assert.ok(Number(duration) > 0 && Number(received) > 100 && Number(sent) > 30, JSON.stringify(line));
  assert.not.match(JSON.stringify(gateway.lines), "secret");
  await gateway.close();
});

test("received bytes are counted per request, also on a reused connection", async () => {
  const gateway = await start();
  for (const body of ["a".repeat(10_000), "b"]) {
    await fetch(`${gateway.url}/orders/in/1`, { method: "POST", body });
  }
  const lines = await until(() => (linesOf(gateway).length === 2 ? linesOf(gateway) : undefined));
  const received = lines.map((line) => Number(line.received));
  assert.ok((received[0] ?? 0) > 10_000 && (received[1] ?? 0) < 1_000, received.join());
  await gateway.close();
});

test("rejected requests are logged with the reason and the alias of the key", async () => {
  const alias = "billing";
  const session = { id: "5f2b9c0d11aa", alias, limits: {}, isInactive: false, tags: [], metadata: new Map() };
  const gateway = await start((call) => {
    call.caller = { session };
    return new GatewayError(429, "Rate Limit Exceeded");
  });
  await fetch(`${gateway.url}/orders/in/1`, { method: "POST" });
  const [line] = await until(() => (linesOf(gateway).length === 1 ? linesOf(gateway) : undefined));
  assert.equal([line?.status, line?.refusal, line?.caller], [429, "rate_limit", "billing"]);
  assert.equal([line?.route, line?.stream], ["/orders/in/{id}", "intake"]);
  await gateway.close();
});

test("a WebSocket is logged once, when it closes; APIs without an access log have no lines", async () => {
  const gateway = await start();
  await fetch(`${gateway.url}/quiet/a`);
  await fetch(`${gateway.url}/elsewhere`);
  const talk = await socket(`${gateway.url.replace("http", "ws")}/orders/talk`);
  await talk.close();
  const [line] = await until(() => (linesOf(gateway).length === 1 ? linesOf(gateway) : undefined));
  assert.equal([line?.route, line?.transport, line?.status], ["/orders/talk", "websocket", 101]);
  await gateway.close();
  assert.is(linesOf(gateway).length, 1);
});

test("a client that disconnects before the response is logged with 499, and long user agents are truncated", async () => {
  const client = new Socket();
  const gateway = await start(() => {
    client.destroy();
    return "next";
  });
  client.connect(Number(new URL(gateway.url).port), "127.0.0.1");
  client.write(
    `POST /orders/in/1 HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nuser-agent: ${"a".repeat(5_000)}\r\n\r\n`,
  );
  const [line] = await until(() => (linesOf(gateway).length === 1 ? linesOf(gateway) : undefined));
  assert.equal([line?.status, String(line?.userAgent).length], [499, 256]);
  await gateway.close();
});

test.run();
