import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { ask, startProxy, startTcpUpstream, startUpstream } from "./upstreams.ts";

test("connections are reused", async () => {
  const upstream = await startUpstream((request, response) => {
    request.resume();
    response.end("ok");
  });
  const gateway = await startProxy({ url: upstream.url });
  for (let count = 0; count < 20; count += 1) {
    const answer = await ask(`${gateway.url}/orders/a`, count % 2 === 0 ? {} : { method: "POST", body: "b" });
    assert.is(answer.status, 200);
  }
  assert.is(upstream.connections, 1);
  await gateway.close();
  await upstream.close();
});

test("a request on a connection that the server has closed is retried if that is safe", async () => {
  const heads: string[] = [];
  // Answers the first request of a connection and closes it at the second one.
  const upstream = await startTcpUpstream((socket) => {
    let count = 0;
    socket.on("data", (bytes) => {
      heads.push(bytes.toString("latin1").split(" ", 1)[0] ?? "");
      count += 1;
      if (count === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      else socket.resetAndDestroy();
    });
  });
  const gateway = await startProxy({ url: upstream.url });
  const url = `${gateway.url}/orders/a`;
  assert.is((await ask(url)).status, 200);
  assert.is((await ask(url)).status, 200, "once more, on a fresh connection");
  assert.equal(heads.splice(0), ["GET", "GET", "GET"]);
  assert.is((await ask(url, { method: "POST", body: "b" })).status, 502);
  assert.equal(heads.splice(0), ["POST"], "what has an effect is not repeated");
  await gateway.close();
  await upstream.close();
});

test("end-to-end fields are forwarded, hop-by-hop fields are not, in both directions", async () => {
  const upstream = await httpServer(() => ({
    headers: {
      connection: "keep-alive, x-hop",
      "x-hop": "1",
      "keep-alive": "timeout=5",
      "proxy-authenticate": "Basic",
      "x-end": "2",
      "content-encoding": "br",
    },
    body: "packed",
  }));
  const gateway = await startProxy({ url: `${upstream.url}/base/` });
  const answer = await ask(`${gateway.url}/orders/a%2Fb?x=1&x=%20`, {
    method: "PUT",
    body: "content",
    headers: {
      connection: "close, x-private, content-type, x-request-id",
      "x-private": "1",
      "content-type": "text/x-own",
      "keep-alive": "1",
      "proxy-connection": "keep-alive",
      "proxy-authorization": "Basic x",
      te: "trailers",
      "x-own": "1",
      "x-forwarded-for": "6.6.6.6",
      x_forwarded_for: "6.6.6.6",
      "x-real-ip": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      "content-length": "7",
      "accept-encoding": "br",
      cookie: ["a=1", "b=2"],
    },
  });
  assert.is(answer.body, "packed", "as it is packed");
  assert.is(answer.headers["content-encoding"], "br");
  assert.is(answer.headers["x-end"], "2");
  for (const name of ["x-hop", "proxy-authenticate"]) assert.is(answer.headers[name], undefined, name);
  const [seen] = upstream.requests;
  assert.equal([seen?.method, seen?.path, seen?.body], ["PUT", "/base/a%2Fb?x=1&x=%20", "content"]);
  const { "x-request-id": id, ...headers } = seen?.headers ?? {};
  assert.ok(id);
  assert.equal(headers, {
    host: new URL(upstream.url).host,
    "x-own": "1",
    "content-type": "text/x-own",
    "content-length": "7",
    "accept-encoding": "br",
    cookie: "a=1; b=2",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": new URL(gateway.url).host,
    "x-forwarded-proto": "http",
    connection: "keep-alive",
  });
  await gateway.close();
  await upstream.close();
});

test("the listen path is kept if it is not stripped, and redirects are mapped back to it", async () => {
  const upstream = await httpServer(({ path }) => ({
    status: 302,
    headers: { location: `${upstream.url}/base${path.replace("/base", "")}/made`, "content-location": "/b" },
  }));
  const redirect = async (stripsListenPath: boolean) => {
    const gateway = await startProxy({ url: `${upstream.url}/base`, stripsListenPath });
    const { headers } = await ask(`${gateway.url}/orders/a`);
    await gateway.close();
    assert.is(headers["content-location"], "/b");
    return headers.location?.replace(gateway.url, "");
  };
  assert.is(await redirect(true), "/orders/a/made");
  assert.is(await redirect(false), "/orders/a/made");
  assert.equal(
    upstream.requests.map(({ path }) => path),
    ["/base/a", "/base/orders/a"],
  );
  await upstream.close();
});

test("redirects are mapped back to the client's spelling of a listen path with parameters", async () => {
  const upstream = await httpServer(({ path }) => ({
    status: 302,
    headers: { location: `${upstream.url}${path}/made` },
  }));
  const redirect = async (listenPath: string, path: string, stripsListenPath: boolean) => {
    const block = { url: upstream.url, stripsListenPath };
    const gateway = await startGateway([
      { id: "of", listenPath, streams: {}, upstream: () => proxyTo(block) },
    ]);
    const { headers } = await ask(`${gateway.url}${path}`);
    await gateway.close();
    return headers.location?.replace(gateway.url, "");
  };
  for (const strips of [true, false]) {
    assert.is(await redirect("/{tenant}/", "/acme/a", strips), "/acme/a/made");
    assert.is(await redirect("/of/{tenant}/x/", "/of/a%20b/x/c", strips), "/of/a%20b/x/c/made");
    assert.is(await redirect("/", "/a", strips), "/a/made");
  }
  await upstream.close();
});

test("preserveHostHeader forwards the host that the client requested", async () => {
  const upstream = await httpServer();
  const gateway = await startProxy({ url: upstream.url, preserveHostHeader: { enabled: true } });
  await ask(`${gateway.url}/orders/a`, { headers: { host: "shop.example.com" } });
  assert.is(upstream.requests[0]?.headers.host, "shop.example.com");
  assert.is(upstream.requests[0]?.headers["x-forwarded-host"], "shop.example.com");
  await gateway.close();
  await upstream.close();
});

test("HEAD, responses without a body, trailers and early hints are forwarded", async () => {
  const upstream = await startUpstream(async (request, response) => {
    if (request.method === "HEAD") response.writeHead(200, { "content-length": "12345" }).end();
    else if (request.url === "/none") response.writeHead(204).end();
    else if (request.url === "/same") response.writeHead(304, { etag: '"1"' }).end();
    else {
      response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" });
      await text(request);
      response.writeHead(200, { trailer: "x-sum" });
      response.write(JSON.stringify(request.trailers));
      response.addTrailers({ "x-sum": "1", "set-cookie": "a=b" });
      response.end();
    }
  });
  const gateway = await startProxy({ url: upstream.url });
  const url = `${gateway.url}/orders/`;
  assert.is((await ask(`${url}a`, { method: "HEAD" })).headers["content-length"], "12345");
  assert.is((await ask(`${url}none`)).status, 204);
  assert.equal((await ask(`${url}same`)).headers.etag, '"1"');
  const outgoing = httpRequest(`${url}a`, { method: "POST", headers: { trailer: "x-end" }, agent: false });
  const hints: unknown[] = [];
  outgoing.on("information", ({ statusCode, headers }) => hints.push([statusCode, headers.link]));
  outgoing.write("body");
  outgoing.addTrailers({ "x-end": "yes", authorization: "no" });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.equal(JSON.parse(await text(answer)), { "x-end": "yes" });
  assert.equal(answer.trailers, { "x-sum": "1" });
  assert.equal(hints, [[103, "</a.css>; rel=preload; as=style"]]);
  await gateway.close();
  await upstream.close();
});

/** Header fields with which servers replace the method or path of a request. */
const overriding = [
  ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"],
  ...["X-Original-URI", "X-Original-Host", "X-Forwarded-Path", "X-Forwarded-Prefix", "X-Forwarded-User"],
  ...["X_HTTP_Method_Override", "x_original-url", "X-Host", "X-Client-IP", "True-Client-IP"],
  ...["X.Original.URL", "X-HTTP~Method!Override", "X-Original-Request-URI", "X-Rewrite-Path", "X-HTTP-Path"],
  ...[
    "X-Envoy-Original-Dst-Host",
    "X-Middleware-Subrequest",
    "X-Invoke-Path",
    "X-Matched-Path",
    "X-Sendfile-Type",
  ],
  ...[
    "X-Accel-Mapping",
    "Proxy",
    "Method-Override",
    "CF-Connecting-IP",
    "X-Forward-For",
    "X.Real.IP",
    "Forwarded",
  ],
  ...[
    "Forwarded-Host",
    "Remote-User",
    "Remote.Addr",
    "X-Remote-User",
    "X-WEBAUTH-USER",
    "X-Auth-Request-Email",
  ],
  ...["Client-Cert", "Client-Cert-Chain", "SSL-Client-Cert", "X-SSL-Client-Verify", "X-Client-Cert"],
  ...["X-ARR-ClientCert", "Akamai-Client-IP", "Fly-Client-IP", "X-Cluster-ClientIP", "X-Replaced-Path"],
  ...["X-Request-Path", "X-MS-Original-URL", "X-HTTP-DestinationURL", "Http-Url", "Proxy-Url"],
];

/** Fields that look alike and are passed on. */
const alike = [
  ...["X-Request-Kind", "X-Client-Id", "Client-Version", "Remote-Job", "X-Remoteness", "Clientip-Zone"],
  ...["SSLmode", "X-Authority", "Content-Location"],
];

test("fields that override method or URL are not forwarded, except allowed ones", async () => {
  const upstream = await httpServer();
  const closed = await startProxy({ url: upstream.url });
  const open = await startProxy({
    url: upstream.url,
    allowedOverrideHeaders: ["X-HTTP-Method-Override", "x-original-url"],
  });
  const headers = Object.fromEntries([...overriding, ...alike].map((name) => [name, "DELETE"]));
  for (const gateway of [closed, open]) {
    await ask(`${gateway.url}/orders/a`, { method: "POST", headers });
  }
  const [first, second] = upstream.requests.map(({ headers: got }) =>
    overriding.map((name) => name.toLowerCase()).filter((name) => name in got),
  );
  assert.equal(first, []);
  assert.equal(second, ["x-http-method-override", "x-original-url"]);
  const passed = alike.filter((name) => upstream.requests[0]?.headers[name.toLowerCase()] === "DELETE");
  assert.equal(passed, alike);
  for (const gateway of [closed, open]) await gateway.close();
  await upstream.close();
});

test("fields that servers may take for one that the gateway has validated are not forwarded", async () => {
  const upstream = await httpServer();
  const api = {
    ...{ id: "orders", listenPath: "/orders/", streams: {}, upstream: () => proxyTo({ url: upstream.url }) },
    protections: () => [
      authentication({
        methods: { it: authToken({ header: "X_Api-Key" }) },
        requirements: [{ it: [] }],
      }),
      accessRights(),
    ],
  };
  const keys = () =>
    configuredKeys({
      policies: [],
      keys: [{ key_hash: hashKey("the key"), access_rights: { orders: {} } }],
    });
  const gateway = await startGateway([api], { parts: { keys } });
  const headers = {
    ...{ "X_Api-Key": "the key", "X-Api-Key": "forged", X_Api_Key: "forged", "x.api.key": "forged" },
    ...{ "X-Tenant": "own", X_Tenant: "forged", "x.tenant": "forged", sentry_trace: "its only spelling" },
  };
  assert.is((await ask(`${gateway.url}/orders/a`, { headers })).status, 200);
  const [request] = upstream.requests;
  const got = Object.entries(request?.headers ?? {}).filter(([name]) => /key|tenant|sentry/.test(name));
  assert.equal(Object.fromEntries(got), {
    "x-tenant": "own",
    sentry_trace: "its only spelling",
  });
  await gateway.close();
  await upstream.close();
});

test("only announced request trailers that do not identify the caller are forwarded", async () => {
  const upstream = await startUpstream(async (request, response) => {
    await text(request);
    response.end(JSON.stringify(request.trailers));
  });
  const gateway = await startProxy({ url: upstream.url });
  const trailers = {
    ...{ "content-digest": "a", "x-checksum": "b", "x-unannounced": "c", "x-api-key": "d", x_user_id: "e" },
    ...{ cookie: "f", "x-http-method-override": "DELETE", "x-original-url": "/", "x-session": "g", te: "h" },
  };
  const announced = Object.keys(trailers).filter((name) => name !== "x-unannounced");
  const outgoing = httpRequest(`${gateway.url}/orders/a`, {
    method: "POST",
    headers: { trailer: announced.join(", ") },
    agent: false,
  });
  outgoing.write("body");
  outgoing.addTrailers(trailers);
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.equal(JSON.parse(await text(answer)), { "x-checksum": "b" });
  await gateway.close();
  await upstream.close();
});

test("Expect: 100-continue is answered when the upstream continues", async () => {
  const upstream = await startUpstream((request, response) => response.end(`got it: ${request.url}`));
  let asked = 0;
  upstream.server.on("checkContinue", async (request, response) => {
    asked += 1;
    if (request.url === "/no") response.writeHead(417).end();
    else {
      response.writeContinue();
      response.end(await text(request));
    }
  });
  const gateway = await startProxy({ url: upstream.url });
  const send = async (path: string) => {
    const headers = { expect: "100-continue", "content-length": "4" };
    const outgoing = httpRequest(`${gateway.url}/orders/${path}`, { method: "POST", headers, agent: false });
    let continued = false;
    outgoing.once("continue", () => {
      continued = true;
      outgoing.end("body");
    });
    outgoing.flushHeaders();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const read = await text(answer);
    outgoing.destroy();
    return [answer.statusCode, continued, read];
  };
  assert.equal(await send("yes"), [200, true, "body"]);
  assert.equal(await send("no"), [417, false, ""]);
  assert.is(asked, 2);
  await gateway.close();
  await upstream.close();
});

test("requests that two parsers could read differently are rejected", async () => {
  const upstream = await httpServer();
  const gateway = await startProxy({ url: upstream.url });
  const heads: readonly (readonly [string, readonly string[]])[] = [
    ["400", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
    ["400", ["Content-Length: 4", "Content-Length: 5"]],
    ["400", ["Transfer-Encoding: gzip, chunked"]],
    ["400", ["Transfer-Encoding: chunked, identity"]],
    ["400", ["Transfer-Encoding : chunked"]],
    ["400", ["X: a\n b: c"]],
    ["400", ["Content-Length: +4"]],
    ["400", ["Host: second"]],
  ];
  for (const [status, lines] of heads) {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.end(
      `POST /orders/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n0\r\n\r\nGET /orders/b HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    assert.match(await text(socket), new RegExp(`^HTTP/1.1 ${status} `), lines.join(" | "));
  }
  assert.equal(upstream.requests, []);
  await gateway.close();
  await upstream.close();
});

// The system's buffers may take 36 MiB on each of the four ways between client, gateway and upstream.
test("512 MiB pass in both directions without being buffered", async () => {
  const size = 512 * 1024 * 1024;
  const part = Buffer.alloc(256 * 1024, "a");
  let received = 0;
  const upstream = await startUpstream((request, response) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (!response.write(chunk)) request.pause();
    });
    response.on("drain", () => request.resume());
    request.on("end", () => response.end());
  });
  const gateway = await startProxy({ url: upstream.url }, { maxBodyBytes: 2 * size });
  const outgoing = httpRequest(`${gateway.url}/orders/a`, { method: "POST", agent: false });
  // A client that reads nothing: the bytes in flight are then all that is ever held.
  let sent = 0;
  const fill = () => {
    while (sent < size) {
      sent += part.length;
      if (!outgoing.write(part)) return;
    }
    outgoing.end();
  };
  outgoing.on("drain", fill);
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  fill();
  const [answer] = await answered;
  let before = -1;
  await until(
    async () => {
      const isStill = sent === before;
      before = sent;
      await new Promise((done) => setTimeout(done, 100));
      return isStill;
    },
    { what: "backpressure to reach the client" },
  );
  assert.ok(sent < size / 2, `${sent} bytes were taken although nobody read the answer`);
  let back = 0;
  for await (const chunk of answer) back += (chunk as Buffer).length;
  assert.equal([received, back], [size, size]);
  await gateway.close();
  await upstream.close();
});

test("a side that disconnects ends the other one", async () => {
  const left: string[] = [];
  let cut = () => {};
  const upstream = await startUpstream((request, response) => {
    response.on("close", () => left.push(request.url ?? ""));
    request.resume();
    if (request.url !== "/silent") response.write("first");
    cut = () => response.destroy();
  });
  const gateway = await startProxy({ url: upstream.url });
  for (const path of ["silent", "begun"]) {
    const outgoing = httpRequest(`${gateway.url}/orders/${path}`, { agent: false }).end();
    outgoing.on("error", () => undefined);
    if (path === "begun") await once(outgoing, "response");
    else await until(() => upstream.connections === 1, { what: "the request to arrive" });
    outgoing.destroy();
    await until(() => left.includes(`/${path}`), { what: "the upstream to be told" });
  }
  const outgoing = httpRequest(`${gateway.url}/orders/cut`, { agent: false }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  cut();
  const read = await text(answer).catch((error: NodeJS.ErrnoException) => error.code);
  assert.is(read, "ECONNRESET", "an answer that is not whole does not look like one");
  await gateway.close();
  await upstream.close();
});

test("an address with a user, a password, a query or a fragment is refused", () => {
  for (const rest of ["user@localhost/", ":open-sesame@localhost/", "localhost/?a=b", "localhost/#a"])
    assert.throws(() => proxyTo({ url: `http://${rest}` }), /without user, query and fragment/, rest);
});

test.run();
