// Requests whose credential the document also declares as a parameter, as many descriptions do.

import { createHash } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: "1" }
security: [key: []]
paths:
  /orders:
    post:
      operationId: order
      parameters:
        - { name: x-api-key, in: header, required: true, schema: { type: string } }
        - { name: X-Shop, in: header, required: true, schema: { type: string } }
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: Taken. } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
x-gw-api-gateway:
  info: { name: Orders, id: orders, state: { active: true } }
  server:
    listenPath: { value: / }
    authentication: { enabled: true, securitySchemes: { key: { enabled: true } } }
  middleware: { global: { validateRequest: { enabled: true } } }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /orders, allowed_verbs: [POST] } }
      output: { drop: {} }
`;
const settings = `streaming: { enabled: true }
apis: [orders.yaml]
keys:
  - key_hash: ${createHash("sha256").update("secret-of-the-shop").digest("hex")}
    access_rights: { orders: {} }
`;

const compiled = await compileDocuments(["gateway.yaml"], {
  packageRoot: projectRoot,
  fileSystem: createMemoryFileSystem({ "gateway.yaml": settings, "orders.yaml": document }),
});
if (compiled.files === undefined) throw new Error(renderPretty(compiled.diagnostics, { color: false }));
const module = await loadGateway(compiled.files);
const gateway = await module.serveGateway(module.default, {
  environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
  log: createLogger("silent"),
});

test.after(async () => {
  await gateway.close();
});

async function send(headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${gateway.addresses.gateway}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });
  return `${response.status} ${await response.text()}`;
}

test("a required parameter that is the credential is there, although streams do not see it", async () => {
  const answer = await send({ "X-Api-Key": "secret-of-the-shop", "X-Shop": "corner" });
  assert.match(answer, /^2\d\d /);
});

test("other required parameters are required beside a credential", async () => {
  assert.match(await send({ "X-Api-Key": "secret-of-the-shop" }), /^422 .*\/header\/X-Shop/);
});

test("without its credential, a request is refused before it is validated", async () => {
  assert.match(await send({ "X-Shop": "corner" }), /^401 /);
});

test.run();
