import { createHash } from "node:crypto";
import { getEventListeners, once } from "node:events";
import { copyFileSync } from "node:fs";
import { createServer as createEncryptedServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { httpDefaults } from "../../../runtime/processors/generated/http-options.ts";
import { http } from "../../../runtime/processors/http.ts";
import { createCaller } from "../../../runtime/requests/caller.ts";
import { agentOptions, completeTransport } from "../../../runtime/requests/connections.ts";
import { createExchanger } from "../../../runtime/requests/exchange.ts";
import { createProxy } from "../../../runtime/requests/proxy.ts";
import { unpackBody } from "../../../runtime/requests/wire-reply.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { httpProxy } from "../../harness/http-proxy.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";
import { fast, once200, outcome, tcpServer } from "./tcp-server.ts";

const test = suite("connections of requests");

const certificates = await createCertificates();

/** Starts a server that responds with the name in the client's certificate. */
async function encryptedServer(options: { readonly requestCert?: boolean } = {}) {
  const { authority, server: own } = certificates;
  const server = createEncryptedServer(
    { cert: own.cert, key: own.key, ca: authority.cert, rejectUnauthorized: true, ...options },
    async (request, response) => {
      const body = await text(request);
      const peer = (request.socket as TLSSocket).getPeerCertificate(); // the server speaks TLS only
      response.end(`${request.method} ${body} from ${peer.subject?.CN ?? "nobody"}`);
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  return {
    url: `https://localhost:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test("tls trusts the given authorities, and no others", async () => {
  const server = await encryptedServer();
  const trusting = { enabled: true, root_cas: certificates.authority.cert };
  assert.is(await outcome({ url: server.url, tls: trusting }), "POST m from nobody");
  assert.is(await outcome({ url: server.url }), "The HTTP request failed");
  assert.is(
    await outcome({ url: server.url, tls: { enabled: true, root_cas: certificates.stranger.cert } }),
    "The HTTP request failed",
  );
  assert.is(
    await outcome({ url: server.url, tls: { enabled: true, skip_cert_verify: true } }),
    "POST m from nobody",
  );
  await server.close();
});

test("tls presents the client's certificate", async () => {
  const server = await encryptedServer({ requestCert: true });
  const { authority, client } = certificates;
  const tls = { enabled: true, root_cas_file: authority.certFile };
  const client_certs = [{ cert_file: client.certFile, key_file: client.keyFile }];
  assert.is(await outcome({ url: server.url, tls: { ...tls, client_certs } }), "POST m from client");
  assert.is(await outcome({ url: server.url, tls }), "The HTTP request failed");
  await server.close();
});

test("a replaced certificate file is used by the next requests, without closing open connections", async () => {
  const server = await encryptedServer({ requestCert: true });
  const { authority, client, directory } = certificates;
  const renewed = await certificates.another("renewed");
  const [cert_file, key_file] = [join(directory, "own.pem"), join(directory, "own.key")];
  copyFileSync(client.certFile, cert_file);
  copyFileSync(client.keyFile, key_file);
  const tls = { enabled: true, root_cas_file: authority.certFile, client_certs: [{ cert_file, key_file }] };
  const step = http({ ...fast, url: server.url, tls });
  const ask = async () => textOfBatch((await step.process(batchOf("m"), componentContext()))[0] ?? []);
  assert.is(await ask(), "POST m from client");
  copyFileSync(renewed.certFile, cert_file);
  copyFileSync(renewed.keyFile, key_file);
  await until(async () => (await ask()) === "POST m from renewed");
  await step.close?.();
  await server.close();
});

test("proxy_url: plain HTTP requests are sent to the proxy, with its credentials and without the server's", async () => {
  const server = await httpServer(({ body }) => ({ body: `got ${body}` }));
  const proxy = await httpProxy(`Basic ${Buffer.from("p:secret").toString("base64")}`);
  const proxy_url = createProxy(proxy.url.replace("//", "//p:secret@"));
  const headers = { Authorization: "Bearer x" };
  assert.is(await outcome({ url: `${server.url}/a?b=1`, headers, proxy_url }), "got m");
  assert.is(proxy.requests[0]?.target, `${server.url}/a?b=1`);
  assert.is(server.requests[0]?.headers.authorization, "Bearer x");
  const unknown = createProxy(proxy.url);
  assert.is(
    await outcome({ url: server.url, proxy_url: unknown }),
    "The HTTP request was answered with status 407",
  );
  await Promise.all([server.close(), proxy.close()]);
});

test("proxy_url: the time limit of a request ends while its tunnel is opened", async () => {
  const silent = await tcpServer(() => undefined);
  const proxy_url = createProxy(`http://127.0.0.1:${silent.port}`);
  assert.is(
    await outcome({ url: "https://localhost/", proxy_url, timeout: 50 }),
    "The HTTP request took too long",
  );
  await silent.close();
});

test("proxy_url: a request whose tunnel is refused leaves no listener", async () => {
  const proxy = await httpProxy("Basic other");
  const url = "https://localhost/";
  const proxy_url = createProxy(proxy.url);
  const caller = createCaller({ ...httpDefaults, url, verb: "GET", retries: 0, proxy_url });
  const request = { verb: "GET", url: new URL(url), headers: new Map(), body: undefined };
  const { signal } = new AbortController();
  const { log } = componentContext();
  const failed = await caller.open(request, { log, signal }, signal).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  assert.is(getEventListeners(signal, "abort").length, 0);
  caller.close();
  await proxy.close();
});

test("proxy_url: HTTPS requests are sent through a tunnel, which cannot read them", async () => {
  const server = await encryptedServer();
  const proxy = await httpProxy(`Basic ${Buffer.from("p:secret").toString("base64")}`);
  const tls = { enabled: true, root_cas: certificates.authority.cert };
  const proxy_url = createProxy(proxy.url.replace("//", "//p:secret@"));
  const headers = { Authorization: "Bearer x" };
  assert.is(await outcome({ url: server.url, tls, headers, proxy_url }), "POST m from nobody");
  assert.equal(
    proxy.requests.map(({ method, target, headers: seen }) => [method, target, seen.authorization]),
    [["CONNECT", new URL(server.url).host, undefined]],
  );
  assert.is(
    await outcome({ url: server.url, tls, proxy_url: createProxy(proxy.url) }),
    "The proxy answered with status 407",
  );
  // The certificate must be for the server, whatever proxy is in between.
  const other = server.url.replace("localhost", "elsewhere.test");
  assert.is(await outcome({ url: other, tls, proxy_url }), "The HTTP request failed");
  await Promise.all([server.close(), proxy.close()]);
});

test("an empty proxy_url means no proxy, and an invalid one is an error", () => {
  assert.is(createProxy(""), undefined);
  assert.throws(() => createProxy("socks5://127.0.0.1:1080"), /is not an HTTP address/);
});

test("transport: a TLS handshake that takes too long fails", async () => {
  const server = await tcpServer(() => undefined);
  const transport = { tls_handshake_timeout: 30 };
  const reason = await outcome({ url: `https://127.0.0.1:${server.port}/`, transport });
  assert.is(reason, "The TLS handshake took too long");
  await server.close();
});

test("transport: a connection that is not made in time fails, even through a proxy", async () => {
  const proxy = await tcpServer(() => undefined);
  const transport = { dial_context: { timeout: 30 } };
  const proxy_url = createProxy(`http://127.0.0.1:${proxy.port}`);
  const reason = await outcome({ url: "https://127.0.0.1:1/", transport, proxy_url });
  assert.is(reason, "The connection took too long");
  await proxy.close();
});

test("a connection that fails at once fails its request with its own error, wherever the request begins", async () => {
  const caller = createCaller({ ...httpDefaults, retries: 0, timeout: 0, url: "http://255.255.255.255:1/" });
  const url = new URL("http://255.255.255.255:1/");
  const request = { verb: "GET", url, headers: new Map(), body: undefined };
  const requester = { log: componentContext().log, signal: new AbortController().signal };
  const begin = () =>
    caller.call(request, requester).then(
      () => undefined,
      (error: GatewayError) => error,
    );
  const outcomes = await Promise.all([
    begin(),
    new Promise((resolve) => setImmediate(() => resolve(begin()))),
    new Promise((resolve) => process.nextTick(() => resolve(begin()))),
  ]);
  for (const each of outcomes) {
    assert.ok(each instanceof GatewayError);
    assert.not.match(String(each.cause), "socket hang up");
  }
  caller.close();
});

test("transport: connections are reused, and closed when idle", async () => {
  const server = await tcpServer((socket) => socket.on("data", () => socket.write(once200)));
  const url = `http://127.0.0.1:${server.port}/`;
  const step = http({ ...fast, url, transport: { idle_connection_timeout: 2_000 } });
  await step.process(batchOf("1", "2"), componentContext());
  assert.is(server.sockets.length, 1);
  await until(() => server.sockets[0]?.destroyed === true);
  await step.close?.();
  await server.close();
});

test("transport: while one idle connection is closed, the time of the next one may end, too", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on("warning", onWarning);
  const server = await tcpServer((socket) => socket.on("data", () => socket.write(once200)));
  const url = `http://127.0.0.1:${server.port}/`;
  const step = http({ ...fast, url, parallel: true, transport: { idle_connection_timeout: 1_000 } });
  let time = 0;
  performance.now = () => {
    time += 600;
    return time;
  };
  await step.process(batchOf("1", "2"), componentContext());
  await until(() => server.sockets.every((socket) => socket.destroyed));
  Reflect.deleteProperty(performance, "now");
  process.off("warning", onWarning);
  assert.equal([server.sockets.length, warnings], [2, []]);
  await step.close?.();
  await server.close();
});

test("transport: no more idle connections are kept than configured", async () => {
  const server = await tcpServer((socket) => socket.on("data", () => socket.write(once200)));
  const url = `http://127.0.0.1:${server.port}/`;
  const step = http({ ...fast, url, parallel: true, transport: { max_idle_connections: 1 } });
  await step.process(batchOf("1", "2", "3"), componentContext());
  assert.is(server.sockets.length, 3);
  await until(() => server.sockets.filter((socket) => !socket.destroyed).length === 1);
  await step.close?.();
  await server.close();
});

test("transport: idle connections are probed at the configured interval", () => {
  const { keepAliveMsecs, keepAliveInitialDelay } = agentOptions(
    completeTransport({ dial_context: { keep_alive: 7_000 } }),
  );
  assert.equal([keepAliveMsecs, keepAliveInitialDelay], [7_000, 7_000]);
});

test("transport: omitted fields have the defaults of the schema", () => {
  const { transport } = httpDefaults;
  assert.equal(completeTransport(), transport);
  assert.equal(completeTransport({ dial_context: { timeout: 1 }, max_idle_connections: 2 }), {
    ...transport,
    dial_context: { ...transport.dial_context, timeout: 1 },
    max_idle_connections: 2,
  });
});

test("transport: with Expect: 100-continue the body waits for a response, but not forever", async () => {
  const order: string[] = [];
  const server = await tcpServer((socket) => {
    let received = "";
    socket.on("data", (data) => {
      received += data;
      order.push(received.endsWith("\r\n\r\n") ? "head" : "body");
      if (received.endsWith("m")) socket.write(once200);
    });
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const transport = { expect_continue_timeout: 1_000 };
  assert.is(await outcome({ url, headers: { Expect: "100-continue" }, transport }), "ok");
  assert.equal(order, ["head", "body"]);
  await server.close();
});

test("a connection is not used again after unexpected data, a lost patience or an early response", async () => {
  const large = "m".repeat(32 * 1024 * 1024);
  const behaviours: readonly ((socket: Socket) => void)[] = [
    (socket) =>
      socket.once("data", () => socket.write(once200, () => void setImmediate(() => socket.write("x")))),
    (socket) =>
      socket.once("data", () => socket.write(once200.replace("\r\n", "\r\nkeep-alive: timeout=1\r\n"))),
    (socket) => socket.once("data", () => void socket.pause().write(once200)),
  ];
  for (const [index, behave] of behaviours.entries()) {
    const server = await tcpServer((socket) => {
      if (server.sockets.length === 1) behave(socket);
      else socket.on("data", (data) => void (data.at(-1) === 109 && socket.write(once200)));
    });
    const step = http({ ...fast, url: `http://127.0.0.1:${server.port}/` });
    const ask = async (text: string) =>
      textOfBatch((await step.process(batchOf(text), componentContext()))[0] ?? []);
    assert.is(await ask(index === 2 ? large : "m"), "ok");
    server.sockets[0]?.resume();
    await until(() => server.sockets[0]?.destroyed === true || server.sockets[0]?.readableEnded === true);
    assert.is(await ask("m"), "ok");
    assert.is(server.sockets.length, 2);
    await step.close?.();
    await server.close();
  }
});

test("a discarded body that cannot be decompressed throws nothing", async () => {
  const body = unpackBody(Readable.from([]), "GET", 302, { "content-encoding": "gzip" });
  body.resume();
  await until(() => body.closed);
  assert.match(String(body.errored), "unexpected end of file");
});

test("a request whose credentials were renewed is sent with the new ones", async () => {
  const heads: string[] = [];
  const server = await tcpServer((socket) =>
    socket.on("data", (data) => {
      heads.push(/token \d/.exec(String(data))?.[0] ?? "");
      socket.write(once200);
    }),
  );
  const { send, close } = createExchanger({ transport: completeTransport() });
  const headers = new Map([["authorization", "token 1"]]);
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const request = { verb: "GET", url, headers, body: undefined };
  const { signal } = new AbortController();
  for (const token of ["token 1", "token 2"]) {
    headers.set("authorization", token);
    assert.is(await text((await send(request, signal)).body), "ok");
  }
  assert.equal(heads, ["token 1", "token 2"]);
  close();
  await server.close();
});

test("a status below 100 fails the request, and a time that no timer can wait keeps the connection", async () => {
  const invalid = await tcpServer((socket) =>
    socket.once("data", () => socket.write(once200.replace("200", "099"))),
  );
  const answer = await outcome({ url: `http://127.0.0.1:${invalid.port}/` });
  assert.is(answer, "The HTTP request was answered with status 99");
  await invalid.close();

  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on("warning", onWarning);
  const patient = once200.replace("\r\n", "\r\nkeep-alive: timeout=99999999\r\n");
  const server = await tcpServer((socket) => socket.on("data", () => socket.write(patient)));
  const transport = { idle_connection_timeout: 0 };
  const step = http({ ...fast, url: `http://127.0.0.1:${server.port}/`, transport });
  await step.process(batchOf("1", "2"), componentContext());
  await new Promise(setImmediate);
  process.off("warning", onWarning);
  assert.equal([server.sockets.length, warnings], [1, []]);
  await step.close?.();
  await server.close();
});

test("an open response that is read slowly waits at the server, and arrives whole", async () => {
  const pieces = 256;
  const server = await tcpServer((socket) =>
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
      for (let piece = 0; piece < pieces; piece += 1) socket.write(Buffer.alloc(65_536, piece));
      socket.end();
    }),
  );
  const url = `http://127.0.0.1:${server.port}/`;
  const caller = createCaller({ ...httpDefaults, url, verb: "GET" });
  const request = { verb: "GET", url: new URL(url), headers: new Map(), body: undefined };
  const { signal } = new AbortController();
  const { body } = await caller.open(request, { log: componentContext().log, signal }, signal);
  await until(() => body.readableLength > 0);
  assert.ok((server.sockets[0]?.writableLength ?? 0) > 0);
  const received = createHash("sha256");
  for await (const chunk of body) {
    received.update(chunk);
    await new Promise(setImmediate);
  }
  const sent = createHash("sha256");
  for (let piece = 0; piece < pieces; piece += 1) sent.update(Buffer.alloc(65_536, piece));
  assert.is(received.digest("hex"), sent.digest("hex"));
  caller.close();
  await server.close();
});

test.run();
