import { copyFile } from "node:fs/promises";
import { connect } from "node:http2";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createCertificates } from "../harness/certificates.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { until } from "../harness/wait.ts";
import { freshFile } from "../runtime/store/databases.ts";
import { keys, startTestService } from "./services.ts";

const { authority, client, server, stranger } = await createCertificates();

/** Starts a service whose certificate is next to its `management.yaml`. */
async function startWithTls(further: { readonly client_ca_file?: string } = {}) {
  const folder = temporaryDirectory("management-tls");
  await copyFile(server.certFile, join(folder, "tls.crt"));
  await copyFile(server.keyFile, join(folder, "tls.key"));
  const service = await startTestService(await freshFile(), {
    path: join(folder, "management.yaml"),
    settings: { listen: { tls: { cert_file: "tls.crt", key_file: "tls.key", ...further } } },
  });
  return { folder, service };
}

interface Answered {
  readonly status: number | undefined;
  readonly strict: string | undefined;
}

function ask(url: string, options: RequestOptions = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: keys.own };
    request(url, { ca: authority.cert, headers, agent: false, ...options }, (response) => {
      response.resume();
      const strict = response.headers["strict-transport-security"];
      response.once("end", () => resolve({ status: response.statusCode, strict }));
    })
      .once("error", reject)
      .end();
  });
}

test("a service with a certificate speaks only TLS, and sends HSTS", async () => {
  const { service } = await startWithTls();
  assert.match(service.address, /^https:/);
  const strict = "max-age=31536000";
  assert.equal(await ask(`${service.address}/api/users`), { status: 200, strict });
  assert.equal(await ask(`${service.address}/`), { status: 200, strict });
  assert.equal(await ask(`${service.address}/nothing/there`), { status: 404, strict });
  const plain = service.address.replace("https:", "http:");
  await fetch(`${plain}/api/users`).then(
    () => assert.unreachable("plain HTTP is answered"),
    (error) => assert.instance(error, TypeError),
  );
  await service.close();
});

test("HTTP/2 is available to clients that offer it", async () => {
  const { service } = await startWithTls();
  const session = connect(service.address, { ca: authority.cert });
  const stream = session.request({ ":path": "/api/users", authorization: keys.own });
  const status = await new Promise((resolve) =>
    stream.once("response", (headers) => resolve(headers[":status"])),
  );
  assert.is(status, 200);
  session.close();
  await service.close();
});

test("with a client CA configured, clients without a certificate of it are rejected", async () => {
  const { service } = await startWithTls({ client_ca_file: authority.certFile });
  const url = `${service.address}/api/users`;
  assert.is((await ask(url, { cert: client.cert, key: client.key })).status, 200);
  for (const shown of [{}, { cert: stranger.cert, key: stranger.key }]) {
    await ask(url, shown).then(
      () => assert.unreachable("it is answered"),
      (error) => assert.match(String(error.code), /^(ECONNRESET|ERR_SSL_|EPIPE)/),
    );
  }
  await service.close();
});

test("a replaced certificate is used without a restart", async () => {
  const { folder, service } = await startWithTls();
  await copyFile(stranger.keyFile, join(folder, "tls.key"));
  await copyFile(stranger.certFile, join(folder, "tls.crt"));
  await until(async () => (await shownName(service.address)) === "stranger");
  await service.close();
});

test("the service does not start with an unusable certificate, or with single sign-on at an http: URL", async () => {
  const missing = startTestService(await freshFile(), {
    settings: { listen: { tls: { cert_file: "/nowhere/tls.crt", key_file: "/nowhere/tls.key" } } },
  });
  await refused(
    missing,
    "listen.tls.cert_file (/nowhere/tls.crt) cannot be read (no such file or directory)",
  );
  const unsafe = startTestService(await freshFile(), {
    settings: {
      listen: { tls: { cert_file: server.certFile, key_file: server.keyFile } },
      single_sign_on: { issuer: "https://a.example", client_id: "a", url: "http://localhost", roles: [] },
    },
    environment: { GW_MANAGEMENT_CLIENT_SECRET: "secret" },
  });
  await refused(unsafe, "write https:");
});

/** Resolves with the common name of the certificate that the server at an address presents. */
function shownName(address: string): Promise<string | string[] | undefined> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.end();
    });
    socket.once("error", reject);
  });
}

async function refused(started: Promise<unknown>, text: string): Promise<void> {
  await started.then(
    () => assert.unreachable("it starts"),
    (error) => assert.ok(JSON.stringify(error.problems ?? error.message).includes(text), String(error)),
  );
}

test.run();
