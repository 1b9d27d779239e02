import { once } from "node:events";
import { connect as connectSecurely } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { type ListenerKind, plainListener } from "../../../runtime/http/listener.ts";
import { type ListenerLimits, listenerLimits } from "../../../runtime/http/listener-limits.ts";
import { readBody } from "../../../runtime/http/read-body.ts";
import { createGatewayServer } from "../../../runtime/middleware/server.ts";
import { withUpdateMethod } from "../../../runtime/portal/update-method.ts";
import { listen } from "../../../runtime/process/listen-address.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { bodyBudget } from "../../../runtime/process/memory/body-budget.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { http2Client } from "../listener/http2-client.ts";
import { type RawClient, rawClient } from "../listener/raw-client.ts";

const { server: certificate, authority } = await createCertificates();
const tls = secureListener({ cert_file: certificate.certFile, key_file: certificate.keyFile });

/** Serves responses with the method, path and body of each request. `/slow` waits until the test releases it. */
async function serve(kind: ListenerKind = plainListener, limits: Partial<ListenerLimits> = {}) {
  const gate = Promise.withResolvers<void>();
  const sockets = new Set<NodeJS.EventEmitter>();
  const methods: string[] = [];
  const gateway = createGatewayServer({
    async chain({ request, transport, path }) {
      if (transport.kind !== "http") return "next";
      sockets.add(request.socket);
      methods.push(request.method ?? "");
      const body = await readBody(request, 1024 * 1024, bodyBudget.holdUntilClosed(transport.response));
      if (path.raw.at(-1) === "slow") await gate.promise;
      if (!(body instanceof Uint8Array)) return body;
      transport.response.end(`[${request.method} ${request.url} ${body}]`);
      return "done";
    },
    log: createLogger("silent"),
    limits: { ...listenerLimits({}, 1), ...limits },
    listener: withUpdateMethod(kind),
  });
  const url = await listen(gateway.server, { host: "127.0.0.1", port: 0 }, { scheme: gateway.scheme });
  return { ...gateway, url, port: Number(new URL(url).port), sockets, methods, open: () => gate.resolve() };
}

/** Returns the bodies of the responses received. */
function answers({ received }: Pick<RawClient, "received">): readonly string[] {
  return [...received.matchAll(/\[([^\]]*)\]/g)].map(([, body = ""]) => body);
}

function request(method: string, path: string, body = "", more = ""): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const path = "/api/portal/requests/1";

test("UPDATE is accepted under the portal, repeatedly on one connection, and between other methods", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  const expected: string[] = [];
  for (const method of ["UPDATE", "UPDATE", "GET", "UPDATE", "PUT", "UPDATE"]) {
    client.write(request(method, path, "{}"));
    expected.push(`${method} ${path} {}`);
    await until(() => answers(client).length === expected.length);
  }
  assert.equal(answers(client), expected);
  assert.not.match(client.received, /Connection: close/i);
  client.socket.destroy();
  await gateway.close(0);
});

test("heads and bodies may be split into any packets after the first", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  const body = "x".repeat(300_000);
  const text = request("UPDATE", path, body);
  const cuts = ["UPDATE /api/portal/".length, 30, 60, 80, 1_000, 150_000, text.length];
  for (const [index, cut] of cuts.entries()) {
    client.write(text.slice(cuts[index - 1] ?? 0, cut));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => answers(client).length === 1);
  assert.equal(answers(client), [`UPDATE ${path} ${body}`]);
  client.write(
    `UPDATE ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
  );
  await until(() => answers(client).length === 2);
  assert.is(answers(client)[1], `UPDATE ${path} abcde`);
  client.socket.destroy();
  await gateway.close(0);
});

test("pipelined requests are answered in order", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  const paths = Array.from({ length: 60 }, (_, at) => `/api/portal/${at}`);
  const methods = ["GET", "UPDATE", "UPDATE", "PUT"];
  const methodOf = (at: number) => methods[at % methods.length] ?? "";
  client.write(paths.map((each, at) => request(methodOf(at), each, `{${at}}`)).join(""));
  await until(() => answers(client).length === paths.length);
  assert.equal(
    answers(client),
    paths.map((each, at) => `${methodOf(at)} ${each} {${at}}`),
  );
  client.socket.destroy();
  await gateway.close(0);
});

test("a slow response is sent first, before those of later requests", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  client.write(request("GET", "/slow") + request("UPDATE", path, "1234").slice(0, -3));
  await until(() => gateway.methods.length === 1);
  client.write("23");
  await new Promise((resolve) => setImmediate(resolve));
  client.write(`4${request("UPDATE", path, "b")}`);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answers(client), []);
  gateway.open();
  await until(() => answers(client).length === 3);
  assert.equal(answers(client), ["GET /slow ", `UPDATE ${path} 1234`, `UPDATE ${path} b`]);
  client.socket.destroy();
  await gateway.close(0);
});

test("earlier requests leave no listeners on a connection", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  const listeners = () =>
    [...gateway.sockets].map((socket) =>
      socket.eventNames().map((name) => `${String(name)} ${socket.listenerCount(name)}`),
    );
  let first: unknown;
  for (let count = 1; count <= 30; count += 1) {
    client.write(request("UPDATE", path, "a"));
    await until(() => answers(client).length === count);
    if (count === 2) first = listeners();
  }
  assert.equal(listeners(), first);
  client.socket.destroy();
  await gateway.close(0);
});

test("UPDATE outside the portal and other unknown methods are rejected", async () => {
  const gateway = await serve();
  for (const text of [
    request("UPDATE", "/orders/new", "a"),
    request("UPDATE", "/api/portals/x", "a"),
    request("UPDATE", "/api/portal", "a"),
    request("UPDATE", "http://a/api/portal/x", "a"),
    request("update", path, "a"),
    request("UPDATES", path, "a"),
    request("PUPDATE", path, "a"),
    request("UNUPDATE", path, "a"),
    request("UPSERT", path, "a"),
    request("FOO", path, "a"),
    `UPDATE  ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `UPDATE\t${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `UPDATE ${path} HTTP/1.0\r\nHost: a\r\n\r\n`,
    `UPDATE ${path}\r\nHost: a\r\n\r\n`,
    `UPDATE ${path} HTTP/2.0\r\nHost: a\r\n\r\n`,
    `UPDATE ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na`,
    `UPDATE ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na`,
    `UPDATE ${path} HTTP/1.1\r\nHost : a\r\n\r\n`,
    `UPDATE ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    "\u0000\u0001UPDATE /api/portal/ HTTP/1.1\r\n\r\n",
  ]) {
    const client = await rawClient(gateway.port);
    client.write(text);
    await client.ended();
    assert.match(client.received, /^HTTP\/1\.1 400 [\s\S]*"Bad request"/, JSON.stringify(text));
    assert.is(client.received.split("HTTP/1.1").length, 2, JSON.stringify(text));
  }
  assert.equal(gateway.methods, []);
  await gateway.close(0);
});

test("the request before a rejected one is answered, and none after it", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  client.write(request("UPDATE", path, "a") + request("FOO", path, request("UPDATE", path, "b")));
  await client.ended();
  assert.equal(gateway.methods, ["UPDATE"]);
  await gateway.close(0);
});

test("UPDATE is subject to the limits of the listener", async () => {
  const gateway = await serve(plainListener, { maxHeaderBytes: 2_000, headTime: 200, bodyTime: 200 });
  const large = await rawClient(gateway.port);
  large.write(request("UPDATE", path, "", `X: ${"x".repeat(3_000)}\r\n`));
  await large.ended();
  assert.match(large.received, /^HTTP\/1\.1 431 /);
  for (const text of [
    `UPDATE ${path} HTTP/1.1\r\nHost: a\r\n`,
    request("UPDATE", path, "abc").slice(0, -1),
  ]) {
    const slow = await rawClient(gateway.port);
    slow.write(request("UPDATE", path, "a"));
    await until(() => answers(slow).length === 1);
    slow.write(text);
    await slow.ended();
    assert.match(slow.received, /\]HTTP\/1\.1 408 /);
  }
  await gateway.close(0);
});

test("closed connections leave nothing behind", async () => {
  const gateway = await serve();
  const client = await rawClient(gateway.port);
  client.write(request("GET", "/slow") + request("UPDATE", path, "a"));
  await until(() => gateway.methods.length === 1);
  client.socket.destroy();
  await until(() => [...gateway.sockets].every((socket) => Object(socket).destroyed));
  gateway.open();
  const ending = await rawClient(gateway.port);
  ending.write(request("UPDATE", path, "a", "Connection: close\r\n"));
  await ending.ended();
  assert.equal(answers(ending), [`UPDATE ${path} a`]);
  assert.equal(gateway.methods, ["GET", "UPDATE"]);
  await gateway.close(0);
});

test("TLS: HTTP/1.1 and HTTP/2 accept UPDATE", async () => {
  const gateway = await serve(tls);
  const socket = connectSecurely({
    host: "127.0.0.1",
    port: gateway.port,
    ca: authority.cert,
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  const client = { received: "" };
  socket.setEncoding("latin1").on("data", (text: string) => {
    client.received += text;
  });
  const large = "x".repeat(100_000);
  for (const [index, [method, body]] of [
    ["UPDATE", "a"],
    ["UPDATE", large],
    ["GET", ""],
    ["UPDATE", "b"],
  ].entries()) {
    socket.write(request(method ?? "", path, body));
    await until(() => answers(client).length === index + 1);
    assert.is(answers(client)[index], `${method} ${path} ${body}`);
  }
  socket.destroy();
  const second = await http2Client(gateway.url, { ca: authority.cert });
  const { status, body } = await second.ask({ ":method": "UPDATE", ":path": path }, "c");
  assert.equal([status, body], [200, `[UPDATE ${path} c]`]);
  second.close();
  await gateway.close(0);
});

test.run();
