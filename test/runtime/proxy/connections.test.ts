import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { WebSocketServer } from "ws";
import { GatewayError } from "../../../runtime/errors.ts";
import type { UpstreamBlock } from "../../../runtime/proxy/upstream.ts";
import { createProxy } from "../../../runtime/requests/proxy.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { httpProxy } from "../../harness/http-proxy.ts";
import { socket } from "../../harness/websocket-client.ts";
import { ask, startProxy, startUpstream } from "./upstreams.ts";

const certificates = await createCertificates();
const { authority, client, server, stranger } = certificates;

/** A TLS server that requests a client certificate and responds with its name. */
const secure = createSecureServer(
  { cert: server.cert, key: server.key, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    const { socket: connection } = request;
    if (!(connection instanceof TLSSocket)) throw new Error("the connection is not encrypted");
    const name = peerOf(connection.getPeerCertificate());
    response.end(`${name} ${connection.getProtocol()} ${request.headers.host}`);
  },
).listen(0, "127.0.0.1");
await once(secure, "listening");
const sockets = new WebSocketServer({ server: secure });
sockets.on("connection", (connection) => connection.on("message", (data) => connection.send(String(data))));
const { port } = secure.address() as AddressInfo; // a TCP server that listens has this kind of address
const secureUrl = `https://127.0.0.1:${port}`;
const trusting = { enabled: true, root_cas: authority.cert };

function peerOf(certificate: { subject?: { CN?: string | string[] } }): string {
  return String(certificate.subject?.CN ?? "nobody");
}

async function answerBy(block: Omit<UpstreamBlock, "url">) {
  const gateway = await startProxy({ url: secureUrl, ...block });
  const { status, body } = await ask(`${gateway.url}/orders/a`, { headers: { host: "shop.example.com" } });
  const [line] = gateway.lines.filter(({ msg }) => msg === "upstream not reached");
  await gateway.close();
  return { status, body, reason: JSON.stringify(line?.error ?? "") };
}

test("a TLS upstream must have a valid name and a trusted authority", async () => {
  const unknown = await answerBy({});
  assert.is(unknown.status, 502);
  assert.match(unknown.reason, /UNABLE_TO_VERIFY|SELF_SIGNED|unable to verify/i);
  assert.is((await answerBy({ tls: { enabled: true, root_cas: stranger.cert } })).status, 502);
  assert.is((await answerBy({ tls: trusting })).body, `nobody TLSv1.3 127.0.0.1:${port}`);
  assert.is((await answerBy({ tlsTransport: { insecureSkipVerify: true } })).status, 200);
  const host = { preserveHostHeader: { enabled: true } };
  // The certificate must be for the upstream, not for the host that the client requested.
  assert.is((await answerBy({ tls: trusting, ...host })).body, "nobody TLSv1.3 shop.example.com");
});

test("the gateway presents its certificate, and uses the allowed TLS versions", async () => {
  const client_certs = [{ cert: client.cert, key: client.key }];
  assert.match((await answerBy({ tls: { ...trusting, client_certs } })).body, /^client TLSv1\.3 /);
  const old = { tls: trusting, tlsTransport: { maxVersion: "1.2" } };
  assert.match((await answerBy(old)).body, /^nobody TLSv1\.2 /);
});

test("unusable certificates keep the gateway from starting", async () => {
  const block = { url: secureUrl, tls: { enabled: true, root_cas_file: "/nowhere/ca.pem" } };
  const failure = await startProxy(block).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  assert.match((failure as GatewayError).message, "tls.root_cas_file (/nowhere/ca.pem) cannot be read");
});

test("an HTTP proxy carries requests and sockets, TLS ones through a tunnel", async () => {
  const plain = await startUpstream((request, response) => response.end(`plain ${request.url}`));
  const plainSockets = new WebSocketServer({ server: plain.server });
  plainSockets.on("connection", (connection) => connection.send("open"));
  const proxy = await httpProxy();
  const through = (url: string) => {
    const own = { enabled: true, url: createProxy(proxy.url) };
    return startProxy({ url, tls: trusting, proxy: own });
  };
  const gateway = await through(plain.url);
  assert.is((await ask(`${gateway.url}/orders/a?b`)).body, "plain /a?b");
  const open = await socket(`${gateway.url}/orders/a`);
  assert.is(await open.next(), "open");
  await open.close();
  await gateway.close();
  const encrypted = await through(secureUrl);
  assert.match((await ask(`${encrypted.url}/orders/a`)).body, "nobody TLSv1.3");
  const connection = await socket(`${encrypted.url}/orders/a`);
  await connection.send("hello");
  assert.is(await connection.next(), "hello");
  await connection.close();
  await encrypted.close();
  assert.equal(
    proxy.requests.map(({ method, target }) => `${method} ${target}`),
    [`GET ${plain.url}/a?b`, `CONNECT ${new URL(plain.url).host}`, `CONNECT 127.0.0.1:${port}`],
  );
  await Promise.all([plain.close(), proxy.close()]);
});

test.after(() => {
  for (const connection of sockets.clients) connection.terminate();
  secure.closeAllConnections();
  secure.close();
});
test.run();
