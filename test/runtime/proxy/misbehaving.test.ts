import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../../harness/ports.ts";
import { rawClient } from "../listener/raw-client.ts";
import { ask, startProxy, startTcpUpstream, startUpstream } from "./upstreams.ts";

test("invalid responses are answered 502, and the log has the reason", async () => {
  const answers = [
    "nonsense\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: x-chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
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

test("early hints of every form are forwarded or dropped, and the response arrives", async () => {
  const hints: readonly (readonly [string, string | undefined])[] = [
    [
      "Link: </a>; rel=preload, </b,c>; rel=preload; as=style",
      "</a>; rel=preload, </b,c>; rel=preload; as=style",
    ],
    ['Link: </a>; rel=preload\r\nLink: </b>; rel="preload"', '</a>; rel=preload, </b>; rel="preload"'],
    ['Link: </a>; rel="preload x", </b>; rel=x', "</b>; rel=x"],
    ["Link: no link", undefined],
    ["Link: ", undefined],
    ["X-Other: 1", undefined],
  ];
  const reported: string[] = [];
  const upstream = await startTcpUpstream((socket) =>
    socket.on("data", () => {
      const hint = reported.shift() ?? "";
      socket.write(
        `HTTP/1.1 103 Early Hints\r\n${hint}\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`,
      );
    }),
  );
  const gateway = await startProxy({ url: upstream.url });
  for (const [hint, expected] of hints) {
    reported.push(hint);
    const outgoing = httpRequest(`${gateway.url}/orders/a`, { agent: false });
    const links: unknown[] = [];
    outgoing.on("information", ({ headers }) => links.push(headers.link));
    outgoing.end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    assert.equal([await text(answer), ...links], expected === undefined ? ["ok"] : ["ok", expected], hint);
  }
  await gateway.close();
  await upstream.close();
});

test("an upstream that repeats early hints without end does not fill the memory for its client", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n";
  const upstream = await startTcpUpstream((socket) =>
    socket.on("data", () =>
      socket.write(`${hint.repeat(10_000)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`),
    ),
  );
  const gateway = await startProxy({ url: upstream.url });
  const client = await rawClient(Number(new URL(gateway.url).port));
  client.write("GET /orders/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await client.ended();
  assert.is(client.received.match(/^HTTP\/1\.1 103 /gm)?.length, 16);
  assert.match(client.received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/m);
  await gateway.close();
  await upstream.close();
});

test("an invalid reason phrase is omitted", async () => {
  const upstream = await startTcpUpstream((socket) =>
    socket.on("data", () => socket.write("HTTP/1.1 299 Very\x01odd\r\nContent-Length: 2\r\n\r\nok")),
  );
  const gateway = await startProxy({ url: upstream.url });
  const { status, body } = await ask(`${gateway.url}/orders/a`);
  assert.equal([status, body], [299, "ok"]);
  await gateway.close();
  await upstream.close();
});

test("trailers announced for a response without a body are not forwarded", async () => {
  const fields = "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n";
  for (const status of [204, 304]) {
    const upstream = await startTcpUpstream((socket) =>
      socket.on("data", () => socket.write(`HTTP/1.1 ${status} Nothing\r\n${fields}`)),
    );
    const gateway = await startProxy({ url: upstream.url });
    const answer = await ask(`${gateway.url}/orders/a`);
    assert.equal([answer.status, answer.headers.trailer, answer.body], [status, undefined, ""]);
    await gateway.close();
    await upstream.close();
  }
});

test("HTTP/1.0 and HTTP/1.1 clients receive a response with trailers, without them", async () => {
  const answer =
    "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n";
  const upstream = await startTcpUpstream((socket) => socket.on("data", () => socket.write(answer)));
  const gateway = await startProxy({ url: upstream.url });
  for (const version of ["0.9", "1.0", "2.0"]) {
    const client = await rawClient(Number(new URL(gateway.url).port));
    client.write(`GET /orders/a HTTP/${version}\r\nHost: a\r\n\r\n`);
    await client.ended();
    assert.match(client.received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/, version);
    assert.not.match(client.received, /trailer|x-sum/i);
  }
  await gateway.close();
  await upstream.close();
});

test("a response without content has no content-length, and HTTP/1.0 receives no early hints", async () => {
  const upstream = await startTcpUpstream((socket) =>
    socket.on("data", () => {
      socket.write(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=x\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
      );
    }),
  );
  const gateway = await startProxy({ url: upstream.url });
  const client = await rawClient(Number(new URL(gateway.url).port));
  client.write("GET /orders/a HTTP/1.0\r\nHost: a\r\n\r\n");
  await client.ended();
  assert.match(client.received, /^HTTP\/1\.1 204 /);
  assert.not.match(client.received, /content-length/i);
  await gateway.close();
  await upstream.close();
});

test("an unreachable upstream is answered 502, even on ports that browsers block", async () => {
  for (const port of [await freePort(), 6667]) {
    const gateway = await startProxy({ url: `http://127.0.0.1:${port}` });
    assert.is((await ask(`${gateway.url}/orders/a`)).status, 502);
    assert.match(JSON.stringify(gateway.lines), "ECONNREFUSED");
    await gateway.close();
  }
});

test("an upstream that takes too long is answered 504", async () => {
  const upstream = await startUpstream((request) => request.resume());
  const gateway = await startProxy({ url: upstream.url, timeouts: { response: 50 } });
  for (const request of [{}, { method: "POST", body: "b" }]) {
    const { status, body } = await ask(`${gateway.url}/orders/a`, request);
    assert.equal([status, body], [504, '{"error":"Upstream did not answer within 0.05 s"}']);
  }
  await gateway.close();
  await upstream.close();
});

test("an upstream that stops reading a body is answered 504", async () => {
  const upstream = await startTcpUpstream((socket) => socket.pause());
  const gateway = await startProxy({ url: upstream.url, timeouts: { idle: 50 } });
  const outgoing = httpRequest(`${gateway.url}/orders/a`, { method: "POST", agent: false });
  outgoing.on("error", () => undefined); // the gateway cuts it off while it writes
  outgoing.write(Buffer.alloc(12 * 1024 * 1024));
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.is(answer.statusCode, 504);
  outgoing.destroy();
  await gateway.close();
  await upstream.close();
});

test("a stalled response is aborted, an event stream is not", async () => {
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

test("a response that arrives before the body ends is forwarded", async () => {
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

test("a response that ends with its connection is complete", async () => {
  const upstream = await startTcpUpstream((socket: Socket) =>
    socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nuntil the end")),
  );
  const gateway = await startProxy({ url: upstream.url });
  assert.is((await ask(`${gateway.url}/orders/a`)).body, "until the end");
  await gateway.close();
  await upstream.close();
});

test.run();
