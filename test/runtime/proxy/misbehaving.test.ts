import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../../harness/ports.ts";
import { ask, startProxy, startTcpUpstream, startUpstream } from "./upstreams.ts";

test("answers that are none are 502, and the log says why", async () => {
  const answers = [
    "nonsense\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    `HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}\r\n\r\n`,
    "",
  ];
  for (const answer of answers) {
    const upstream = await startTcpUpstream((socket) => socket.once("data", () => socket.end(answer)));
    const gateway = await startProxy({ url: upstream.url });
    const { status, body } = await ask(`${gateway.url}/orders/a`);
    assert.equal([status, body], [502, '{"error":"Upstream is not reachable"}'], answer.slice(0, 80));
    assert.ok(gateway.lines.some(({ msg, error }) => msg === "upstream not reached" && error !== undefined));
    await gateway.close();
    await upstream.close();
  }
});

test("an upstream that is away is 502, at ports that browsers may not call too", async () => {
  for (const port of [await freePort(), 6667]) {
    const gateway = await startProxy({ url: `http://127.0.0.1:${port}` });
    assert.is((await ask(`${gateway.url}/orders/a`)).status, 502);
    assert.match(JSON.stringify(gateway.lines), "ECONNREFUSED");
    await gateway.close();
  }
});

test("an upstream that takes too long is 504", async () => {
  const upstream = await startUpstream((request) => request.resume());
  const gateway = await startProxy({ url: upstream.url, timeouts: { response: 50 } });
  for (const request of [{}, { method: "POST", body: "b" }]) {
    const { status, body } = await ask(`${gateway.url}/orders/a`, request);
    assert.equal([status, body], [504, '{"error":"Upstream did not answer in time"}']);
  }
  await gateway.close();
  await upstream.close();
});

test("an upstream that takes no more of a body is 504", async () => {
  const upstream = await startTcpUpstream((socket) => socket.pause());
  const gateway = await startProxy({ url: upstream.url, timeouts: { idle: 50 } });
  const outgoing = httpRequest(`${gateway.url}/orders/a`, { method: "POST", agent: false });
  outgoing.on("error", () => undefined); // it is cut off while it writes
  outgoing.write(Buffer.alloc(12 * 1024 * 1024));
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.is(answer.statusCode, 504);
  outgoing.destroy();
  await gateway.close();
  await upstream.close();
});

test("an answer that stands still is cut, events are not", async () => {
  const rest: (() => void)[] = [];
  const upstream = await startUpstream((request, response) => {
    response.writeHead(200, {
      "content-type": request.url === "/events" ? "text/event-stream" : "text/plain",
    });
    response.write("first");
    rest.push(() => response.end("last"));
  });
  const read = async (gateway: { url: string }, path: string) => {
    const outgoing = httpRequest(`${gateway.url}/orders/${path}`, { agent: false }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  };
  const strict = await startProxy({ url: upstream.url, timeouts: { idle: 50 } });
  const cut = await text(await read(strict, "a")).catch((error: NodeJS.ErrnoException) => error.code);
  assert.is(cut, "ECONNRESET");
  await strict.close();
  const usual = await startProxy({ url: upstream.url });
  const events = await read(usual, "events");
  rest.at(-1)?.();
  assert.is(await text(events), "firstlast");
  await usual.close();
  await upstream.close();
});

test("an answer that comes before the body is at its end is passed on", async () => {
  const upstream = await startUpstream((_request, response) => response.writeHead(403).end("no"));
  const gateway = await startProxy({ url: upstream.url });
  const outgoing = httpRequest(`${gateway.url}/orders/a`, { method: "POST", agent: false });
  outgoing.write("begin");
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.equal([answer.statusCode, await text(answer)], [403, "no"]);
  outgoing.destroy();
  await gateway.close();
  await upstream.close();
});

test("an answer that ends with its connection is whole", async () => {
  const upstream = await startTcpUpstream((socket: Socket) =>
    socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nuntil the end")),
  );
  const gateway = await startProxy({ url: upstream.url });
  assert.is((await ask(`${gateway.url}/orders/a`)).body, "until the end");
  await gateway.close();
  await upstream.close();
});

test.run();
