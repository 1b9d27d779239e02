import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ListenerTlsBlock } from "../../../runtime/http/listener/certificates.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { httpServer } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { startTcpUpstream } from "../proxy/upstreams.ts";
import { answerTo, http2Client } from "./http2-client.ts";
import { type ServedGateway, serveWith } from "./serving.ts";

const certificates = await createCertificates();
const { server, authority, client, stranger } = certificates;
const block: ListenerTlsBlock = { cert_file: server.certFile, key_file: server.keyFile };
const trusting = { ca: authority.cert };

function serveSecure(more: Partial<ListenerTlsBlock> = {}): Promise<ServedGateway> {
  return serveWith({ tls: () => secureListener({ ...block, ...more }) });
}

test("HTTP/2 serves producers, event streams and errors", async () => {
  const gateway = await serveSecure();
  assert.match(gateway.url, /^https:/);
  const connection = await http2Client(gateway.url, trusting);
  const sent = await connection.ask({ ":path": "/orders/new?x=1", ":method": "POST", "x-shop": "7" }, "a");
  assert.is(sent.status, 200);
  assert.equal(gateway.output.texts, ["a"]);
  const metadata = gateway.output.batches[0]?.[0]?.metadata;
  assert.is(metadata?.get("X-Shop"), "7");
  assert.is(metadata?.get("http_server_verb"), "POST");
  assert.is(metadata?.get("http_server_request_path"), "/orders/new");
  assert.equal(
    [...(metadata?.keys() ?? [])].filter((name) => name.startsWith(":")),
    [],
  );

  const events = connection.open({ ":path": "/orders/events", accept: "text/event-stream" });
  let received = "";
  events.on("data", (bytes: Buffer) => {
    received += bytes.toString();
  });
  await gateway.source.deliver("first");
  await until(() => received.includes("data: first\n\n"));

  const unknown = await connection.ask({ ":path": "/orders/unknown" });
  assert.is(unknown.status, 404);
  assert.equal(JSON.parse(unknown.body), { error: "not found" });
  assert.is((await connection.ask({ ":path": "/orders/new" })).headers.allow, "POST");
  assert.is((await connection.ask({ ":path": "/orders/chat" })).status, 426);
  connection.close();
  events.close();
  await gateway.close();
});

test("a request whose host contradicts its authority: 400", async () => {
  const gateway = await serveSecure();
  const connection = await http2Client(gateway.url, trusting);
  const contradiction = { ":authority": "localhost", host: "other.test" };
  const answer = await connection.ask({ ":path": "/orders/new", ":method": "POST", ...contradiction }, "a");
  assert.is(answer.status, 400);
  assert.equal(gateway.output.texts, []);
  connection.close();
  await gateway.close();
});

test("HTTP/1.1 and WebSocket work on the same listener", async () => {
  const gateway = await serveSecure();
  const request = httpsRequest(`${gateway.url}/orders/new`, { ...trusting, method: "POST" }).end("b");
  const [response] = await once(request, "response");
  assert.is(response.statusCode, 200);
  assert.is(response.httpVersion, "1.1");
  response.resume();
  const chat = await socket(`${gateway.url.replace("https", "wss")}/orders/chat`, trusting);
  await chat.send("c");
  await until(() => gateway.output.texts.length === 2);
  assert.equal(gateway.output.texts, ["b", "c"]);
  request.destroy();
  await gateway.close();
  assert.is((await chat.ended).code, 1001);
});

test("requests that match no stream are proxied from HTTP/2, with method, query, body and forwarded headers", async () => {
  const upstream = await httpServer(() => ({ status: 201, body: "made" }));
  const gateway = await serveWith({
    tls: () => secureListener(block),
    apis: [
      { id: "orders", listenPath: "/orders/", streams: {}, upstream: () => proxyTo({ url: upstream.url }) },
    ],
  });
  const connection = await http2Client(gateway.url, trusting);
  const answer = await connection.ask({ ":path": "/orders/things?x=1", ":method": "POST" }, "body");
  assert.is(answer.status, 201);
  assert.is(answer.body, "made");
  const [seen] = upstream.requests;
  assert.is(seen?.path, "/things?x=1");
  assert.is(seen?.body, "body");
  assert.is(seen?.headers["x-forwarded-proto"], "https");
  assert.ok(seen?.headers["x-request-id"]);
  connection.close();
  await gateway.close();
  await upstream.close();
});

test("repeated fields and trailers of an upstream pass to HTTP/2", async () => {
  const head = [
    "X-Content-Type-Options: nosniff",
    "X-Content-Type-Options: nosniff",
    "ETag: a",
    "ETag: b",
    "Set-Cookie: a=1",
    "Set-Cookie: b=2",
    "Transfer-Encoding: chunked",
    "Trailer: X-Sum",
  ];
  const answer = `HTTP/1.1 200 OK\r\n${head.join("\r\n")}\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n`;
  const upstream = await startTcpUpstream((socket) => socket.on("data", () => socket.write(answer)));
  const gateway = await serveWith({
    tls: () => secureListener(block),
    apis: [
      { id: "orders", listenPath: "/orders/", streams: {}, upstream: () => proxyTo({ url: upstream.url }) },
    ],
  });
  const connection = await http2Client(gateway.url, trusting);
  const stream = connection.session.request({ ":path": "/orders/a" });
  const trailers = once(stream, "trailers");
  const { "x-content-type-options": sniffing, etag, "set-cookie": cookies } = await answerTo(stream);
  assert.equal([sniffing, etag, cookies], ["nosniff, nosniff", "a, b", ["a=1", "b=2"]]);
  assert.is(await text(stream), "ok");
  const [reported] = await trailers;
  assert.equal({ ...reported }, { "x-sum": "1, 2" });
  connection.close();
  await gateway.close();
  await upstream.close();
});

test("TLS versions below the minimum are refused", async () => {
  const shake = async (gateway: ServedGateway, version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3") => {
    const connection = connect({
      ...trusting,
      port: gateway.port,
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const result = await once(connection, "secureConnect").then(
      () => "spoken",
      () => "refused",
    );
    connection.destroy();
    return result;
  };
  const gateway = await serveSecure();
  assert.is(await shake(gateway, "TLSv1.1"), "refused");
  assert.is(await shake(gateway, "TLSv1.2"), "spoken");
  await gateway.close();
  const strict = await serveSecure({ min_version: "1.3" });
  assert.is(await shake(strict, "TLSv1.2"), "refused");
  assert.is(await shake(strict, "TLSv1.3"), "spoken");
  await strict.close();
});

test("client certificates: when required, clients without a trusted one are refused", async () => {
  const gateway = await serveSecure({
    client_certificates: "required",
    client_ca_file: authority.certFile,
  });
  const known = await http2Client(gateway.url, { ...trusting, cert: client.cert, key: client.key });
  assert.is((await known.ask({ ":path": "/orders/new", ":method": "POST" }, "a")).status, 200);
  known.close();
  for (const shown of [{}, { cert: stranger.cert, key: stranger.key }]) {
    const failed = await http2Client(gateway.url, { ...trusting, ...shown })
      .then(async (connection) => connection.ask({ ":path": "/orders/new", ":method": "POST" }, "b"))
      .then(
        () => false,
        () => true,
      );
    assert.ok(failed);
  }
  assert.equal(gateway.output.texts, ["a"]);
  await gateway.close();
});

test("client certificates: protections see an optional one, and whether it is trusted", async () => {
  const seen: unknown[] = [];
  const gateway = await serveWith({
    tls: () =>
      secureListener({ ...block, client_certificates: "optional", client_ca_file: authority.certFile }),
    apis: [
      {
        id: "orders",
        listenPath: "/orders/",
        streams: {},
        protections: () => [
          {
            place: "client-certificate",
            start: () => ({
              check(call) {
                // A connection may begin with requests that do not need the certificate.
                if (call.request.url !== "/orders/") return "next";
                const { certificate } = call;
                seen.push(certificate && [certificate.isTrusted, certificate.x509.raw.length > 100]);
                return "next";
              },
            }),
          },
        ],
      },
    ],
  });
  for (const shown of [
    {},
    { cert: client.cert, key: client.key },
    { cert: stranger.cert, key: stranger.key },
  ]) {
    const connection = await http2Client(gateway.url, { ...trusting, ...shown });
    await connection.ask({ ":path": "/orders/first" });
    await connection.ask({ ":path": "/orders/" });
    connection.close();
    const request = httpsRequest(`${gateway.url}/orders/`, { ...trusting, ...shown, agent: false }).end();
    const [response] = await once(request, "response");
    await text(response);
  }
  assert.equal(seen, [undefined, undefined, [true, true], [true, true], [false, true], [false, true]]);
  await gateway.close();
});

test("a gateway with an unusable certificate does not start", async () => {
  const rows: readonly [Partial<ListenerTlsBlock>, RegExp][] = [
    [
      { cert_file: "/nowhere.pem" },
      /^listen\.tls\.cert_file \(\/nowhere\.pem\) cannot be read \(no such file or directory\)$/,
    ],
    [{ key_file: client.keyFile }, /^listen\.tls\.key_file .* does not belong to listen\.tls\.cert_file/],
    [{ client_ca_file: server.keyFile }, /^listen\.tls\.client_ca_file .* holds no certificate in PEM$/],
  ];
  for (const [more, problem] of rows) {
    const error = await serveSecure(more).then(
      () => undefined,
      (reason: Error) => reason,
    );
    assert.is(error?.name, "EnvironmentError");
    assert.match(error?.message ?? "", problem);
  }
});

test.run();
