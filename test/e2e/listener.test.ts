// The listener settings of gateway.yaml, tested from the document to the connection, in one process and in several.

import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createCertificates } from "../harness/certificates.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { until } from "../harness/wait.ts";
import { http2Client } from "../runtime/listener/http2-client.ts";
import { buildAndStart } from "./gateway.ts";

const [first, second] = [await createCertificates(), await createCertificates()];

const settings = `streaming: { enabled: true }
apis: [orders.yaml]
listen:
  address: 127.0.0.1:0
  tls: { cert_file: "\${CERT}", key_file: "\${KEY}", client_certificates: optional, min_version: "1.3" }
trusted_proxies: ["\${PROXY:127.0.0.1}"]
limits: { max_headers: 20, idle_timeout: "\${IDLE:30s}" }
`;
const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: orders, name: Orders, state: { active: true } }
  server: { listenPath: { value: / }, ipAccessControl: { enabled: true, allow: [192.0.2.0/24] } }
x-gw-streaming:
  streams:
    taken:
      input: { http_server: { path: /orders } }
      pipeline: { processors: [{ mapping: 'root.from = @http_server_remote_ip' }] }
      output: { http_client: { url: "\${BACKEND}/orders", retries: 0 } }
    said:
      input: { http_server: { path: /said } }
      pipeline: { processors: [{ mapping: 'root.from = @http_server_remote_ip' }] }
      output: { inproc: said }
    passed:
      input: { inproc: said }
      output: { http_client: { url: "\${BACKEND}/said", retries: 0 } }
`;

async function shownBy(url: string): Promise<string | undefined> {
  const connection = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(connection, "secureConnect");
  const shown = connection.getPeerX509Certificate()?.toString();
  connection.destroy();
  return shown;
}

for (const workers of ["1", "3"]) {
  test(`TLS, HTTP/2, a trusted proxy and a new certificate, with GW_WORKERS=${workers}`, async () => {
    const backend = await httpServer();
    const folder = temporaryDirectory("listener");
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    copyFileSync(first.server.certFile, cert);
    copyFileSync(first.server.keyFile, key);
    writeFileSync(join(folder, "gateway.yaml"), settings);
    writeFileSync(join(folder, "orders.yaml"), document);
    const env = { CERT: cert, KEY: key, BACKEND: backend.url, GW_WORKERS: workers, GW_LISTEN: "127.0.0.1:0" };
    const gateway = await buildAndStart([join(folder, "gateway.yaml")], env);
    assert.match(gateway.url, /^https:/);

    // Workers take turns: each of them gets a request, including those that forward to the first.
    for (let turn = 0; turn < 4; turn += 1) {
      const connection = await http2Client(gateway.url, { ca: first.authority.cert });
      const ask = (path: string, client: string) =>
        connection.ask({ ":path": path, ":method": "POST", "x-forwarded-for": client }, "{}");
      assert.is((await ask("/orders", "192.0.2.7")).status, 200);
      assert.is((await ask("/said", "192.0.2.8")).status, 200);
      assert.is((await ask("/orders", "198.51.100.1")).status, 403);
      assert.is((await ask("/said", "192.0.2.8, 198.51.100.1")).status, 403);
      connection.close();
    }
    const bodies = backend.requests.map(({ path, body }) => [path, JSON.parse(body).from]);
    assert.equal(
      bodies,
      Array.from({ length: 4 }, () => [
        ["/orders", "192.0.2.7"],
        ["/said", "192.0.2.8"],
      ]).flat(),
    );

    copyFileSync(second.server.certFile, cert);
    copyFileSync(second.server.keyFile, key);
    gateway.program.process.kill("SIGHUP");
    await until(async () => (await shownBy(gateway.url)) === second.server.cert);
    assert.is(await gateway.program.stop(), 0);
    await backend.close();
  });
}

test.run();
