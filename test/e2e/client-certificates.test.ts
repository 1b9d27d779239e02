import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { type CertificateFiles, createCertificates } from "../harness/certificates.ts";
import { buildAndStart } from "./gateway.ts";

const { directory, authority, client, server, stranger } = await createCertificates();

const fingerprintOf = ({ cert }: CertificateFiles) => new X509Certificate(cert).fingerprint256;
const settings = `streaming: { enabled: true }
apis: ["*.api.yaml"]
listen:
  address: "127.0.0.1:0"
  tls: { cert_file: ${server.certFile}, key_file: ${server.keyFile}, client_certificates: optional }
policies:
  - { id: gold, access_rights: { scheme: {} } }
keys:
  - { key_hash: "\${STRANGER_HASH}", access_rights: { keyed: {} } }
`;

function api(id: string, security: string, gateway: string): string {
  return `openapi: 3.1.0
info: { title: ${id}, version: 1.0.0 }
paths: {}
${security}
x-gw-api-gateway:
  info: { id: ${id} }
  server: { listenPath: { value: /${id}/ }, ${gateway} }
x-gw-streaming:
  streams:
    ${id}:
      input: { http_server: { path: /new } }
      output: { drop: {} }
`;
}

const documents: Readonly<Record<string, string>> = {
  list: api(
    "list",
    "",
    `clientCertificates: { enabled: true, allowlist: ["\${file:${authority.certFile}}"] }`,
  ),
  scheme: api(
    "scheme",
    "components: { securitySchemes: { it: { type: mutualTLS } } }\nsecurity: [{ it: [] }]",
    'authentication: { enabled: true, securitySchemes: { it: { enabled: true, allowlist: ["${CLIENT}"], defaultPolicies: [gold] } } }',
  ),
  keyed: api(
    "keyed",
    "components: { securitySchemes: { it: { type: mutualTLS } } }\nsecurity: [{ it: [] }]",
    "authentication: { enabled: true, securitySchemes: { it: { enabled: true } } }",
  ),
};

async function ask(url: URL, shown: CertificateFiles | undefined): Promise<number | undefined> {
  const identity = shown && { cert: shown.cert, key: shown.key };
  const sent = request(url, { method: "POST", ca: authority.cert, agent: false, ...identity });
  sent.end("a");
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

async function askByHttp2(url: URL, shown: CertificateFiles): Promise<unknown> {
  const session = connect(url.origin, { ca: authority.cert, cert: shown.cert, key: shown.key });
  const stream = session.request({ ":path": url.pathname, ":method": "POST" });
  stream.end("a");
  const [headers] = await once(stream, "response");
  stream.resume();
  await once(stream, "end");
  session.close();
  return headers[":status"];
}

test("a listener with TLS requests client certificates, and each API accepts its own", async () => {
  writeFileSync(join(directory, "gateway.yaml"), settings);
  for (const [id, text] of Object.entries(documents)) writeFileSync(join(directory, `${id}.api.yaml`), text);
  const gateway = await buildAndStart([join(directory, "gateway.yaml")], {
    CLIENT: fingerprintOf(client),
    STRANGER_HASH: fingerprintOf(stranger).replaceAll(":", ""),
  });
  for (const id of Object.keys(documents)) {
    const url = new URL(
      `/${id}/new`,
      gateway.url.replace("127.0.0.1", "localhost").replace("http:", "https:"),
    );
    const [known, unknown] = id === "keyed" ? [stranger, client] : [client, stranger];
    assert.is(await ask(url, known), 200, id);
    assert.is(await ask(url, unknown), 403, id);
    assert.is(await ask(url, undefined), 401, id);
    assert.is(await askByHttp2(url, known), 200, id);
    assert.is(await askByHttp2(url, unknown), 403, id);
  }
  assert.is(await gateway.program.stop(), 0);
});

test.run();
