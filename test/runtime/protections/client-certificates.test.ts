import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, createSecureServer } from "node:http2";
import { createServer, request } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope } from "../../../runtime/component/gateway-scope.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { createCall } from "../../../runtime/http/call.ts";
import { connectionOrigin } from "../../../runtime/http/request-origin.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import type { ProtectionContext } from "../../../runtime/protection.ts";
import { clientCertificates } from "../../../runtime/protections/client-certificates.ts";
import { type CertificateFiles, createCertificates } from "../../harness/certificates.ts";
import { startGuarded } from "./guarded.ts";

const certificates = await createCertificates();
const { authority, client, server, stranger } = certificates;
const fingerprint = new X509Certificate(client.cert).fingerprint256;

const context: ProtectionContext = {
  api: "orders",
  gateway: new GatewayScope(),
  maxBodyBytes: 1000,
  log: createLogger("silent"),
  signal: new AbortController().signal,
};

/** Starts a server that responds with the status of the refusal, or with 200. */
async function serve(allowlist: readonly string[]) {
  const guard = await clientCertificates({ enabled: true, allowlist }).start(context);
  const listener = createServer(
    { cert: server.cert, key: server.key, requestCert: true, rejectUnauthorized: false },
    async (incoming, response) => {
      const call = createCall(incoming, { kind: "http", response }, connectionOrigin(incoming));
      const result = call instanceof GatewayError ? call : await guard.check(call);
      response.writeHead(result instanceof GatewayError ? result.status : 200).end();
    },
  ).listen(0, "127.0.0.1");
  await once(listener, "listening");
  return listener;
}

function portOf(listener: Server): number {
  return (listener.address() as AddressInfo).port; // a TCP server that listens has this kind of address
}

async function ask(listener: Server, shown: CertificateFiles | undefined): Promise<number | undefined> {
  const identity = shown && { cert: shown.cert, key: shown.key };
  const options = {
    host: "127.0.0.1",
    port: portOf(listener),
    rejectUnauthorized: false,
    agent: false,
    ...identity,
  };
  const sent = request(options);
  sent.end();
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

test("a certificate is accepted by its fingerprint, by the certificate, or by its issuing authority", async () => {
  const rows: readonly [string, readonly string[], CertificateFiles | undefined, number][] = [
    ["fingerprint with colons", [fingerprint], client, 200],
    ["fingerprint without", [fingerprint.replaceAll(":", "").toLowerCase()], client, 200],
    ["the certificate", [client.cert], client, 200],
    ["its authority", [authority.cert], client, 200],
    ["authorities in one text", [`${stranger.cert}\n${authority.cert}`], client, 200],
    ["another authority", [stranger.cert], client, 403],
    ["another certificate", [server.cert], client, 403],
    ["nothing", [], client, 403],
    ["no certificate", [authority.cert], undefined, 401],
    ["a stranger of the authority's", [authority.cert], stranger, 403],
    ["the first of two", [fingerprint, stranger.cert], client, 200],
  ];
  for (const [name, allowlist, shown, status] of rows) {
    const listener = await serve(allowlist);
    assert.is(await ask(listener, shown), status, name);
    listener.closeAllConnections();
    listener.close();
  }
});

test("HTTP/2 supports client certificates", async () => {
  const guard = await clientCertificates({ enabled: true, allowlist: [fingerprint] }).start(context);
  const listener = createSecureServer(
    { cert: server.cert, key: server.key, requestCert: true, rejectUnauthorized: false, allowHTTP1: true },
    async (incoming, response) => {
      // The code uses only what requests of HTTP/1.1 and HTTP/2 have in common.
      const { remoteAddress, scheme, certificate } = connectionOrigin(incoming as never);
      const origin = { remoteAddress, scheme, certificate, host: "localhost" };
      const call = createCall(incoming as never, { kind: "http", response: response as never }, origin);
      const result = call instanceof GatewayError ? call : await guard.check(call);
      response.writeHead(result instanceof GatewayError ? result.status : 200).end();
    },
  ).listen(0, "127.0.0.1");
  await once(listener, "listening");
  for (const [shown, status] of [[client, 200] as const, [stranger, 403] as const]) {
    const session = connect(`https://127.0.0.1:${portOf(listener)}`, {
      cert: shown.cert,
      key: shown.key,
      rejectUnauthorized: false,
    });
    const stream = session.request({ ":path": "/" });
    const [headers] = await once(stream, "response");
    assert.is(headers[":status"], status);
    stream.resume();
    await once(stream, "end");
    session.close();
  }
  listener.close();
});

test("over plain HTTP requests are rejected, and reach no stream", async () => {
  const gateway = await startGuarded([clientCertificates({ enabled: true, allowlist: [fingerprint] })]);
  const response = await fetch(gateway.url, { method: "POST", body: "a" });
  assert.is(response.status, 401);
  assert.equal(await response.json(), { error: "Client TLS certificate is required" });
  assert.equal(gateway.received, []);
  await gateway.close();
});

test("invalid entries keep the gateway from starting", () => {
  for (const entry of [
    "",
    "abcd",
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    client.key,
  ]) {
    assert.throws(
      () => clientCertificates({ enabled: true, allowlist: [entry] }),
      (error: unknown) => error instanceof EnvironmentError,
      entry,
    );
  }
});

test.run();
