// A client that knows nothing of a gateway but its description, as a generated one would, against the gateway that is described.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AsyncAPIDocumentInterface, type OperationInterface, Parser } from "@asyncapi/parser";
import { Ajv } from "ajv";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, describeClients } from "../../compiler/compile.ts";
import { buildBundle, startBundle } from "../e2e/gateway.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { sse } from "../harness/sse-client.ts";

const stock = `openapi: 3.1.0
info: { title: Stock, version: 1.0.0 }
paths: {}
security: [{ key: [] }]
x-gw-api-gateway:
  info: { id: stock, name: Stock, state: { active: true } }
  server:
    listenPath: { value: /stock/ }
    authentication:
      enabled: true
      securitySchemes:
        key: { enabled: true, header: { enabled: true, name: X-Stock-Key }, query: { enabled: true, name: stock_key } }
components:
  securitySchemes:
    key: { type: apiKey, name: X-Api-Key, in: header }
x-gw-streaming:
  streams:
    asked:
      input: { http_server: { path: /ask, allowed_verbs: [PUT] } }
      pipeline: { processors: [{ mapping: "root.sku = this.sku.string()\\nroot.left = 3" }] }
      output: { sync_response: {} }
    ticks:
      input: { generate: { interval: 50ms, mapping: 'root = {"number": counter()}' } }
      output: { http_server: { stream_path: /ticks } }
`;

const settings = `apis: [stock.yaml]
streaming: { enabled: true }
policies: [{ id: all, access_rights: { stock: {} } }]
keys: [{ alias: test, key_hash: "\${KEY_HASH}", apply_policies: [all] }]
`;

const key = "the-key-of-the-client";
const keyHash = createHash("sha256").update(key).digest("hex");
const ajv = new Ajv({ strict: false });

/** Whether content is what the description says of the messages. */
function fits(messages: ReturnType<OperationInterface["messages"]>, content: unknown): boolean {
  return messages.all().some((message) => {
    const payload = message.payload()?.json();
    return payload === undefined || ajv.validate(payload, content);
  });
}

/** Address and headers of a request to an operation's channel, with the credential where the description has it. */
function requestTo(document: AsyncAPIDocumentInterface, operation: OperationInterface) {
  const [server] = operation.channels().all()[0]?.servers().all() ?? [];
  const url = new URL(
    `${server?.protocol()}://${server?.host()}${server?.pathname() ?? ""}${operation.channels().all()[0]?.address()}`,
  );
  const headers: Record<string, string> = {};
  const [name] = operation.security().flatMap((each) => each.all().map((one) => one.scheme().name()));
  const [scheme] = document.components().securitySchemes().all();
  assert.is(name, scheme?.name());
  if (scheme?.in() === "query") url.searchParams.set(name ?? "", key);
  else headers[name ?? ""] = key;
  const method = operation.bindings().get("http")?.value().method as string;
  return { url, headers, method };
}

test("the gateway behaves as the client view of the description says", async () => {
  const folder = temporaryDirectory("client");
  writeFileSync(join(folder, "stock.yaml"), stock);
  writeFileSync(join(folder, "gateway.yaml"), settings);
  const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]), { KEY_HASH: keyHash });
  const { checked } = await checkDocuments([join(folder, "gateway.yaml")]);
  if (checked === undefined) throw new Error("the documents do not compile");
  const described = await describeClients(checked, "stock", { servers: [gateway.url], view: "client" });
  const { document } = await new Parser().parse(JSON.stringify(described));
  if (document === undefined) throw new Error("the description is not valid");

  const [ask] = document.operations().filterBySend();
  const [listen] = document.operations().filterByReceive();
  if (ask === undefined || listen === undefined) throw new Error("an operation is missing");

  const { url, headers, method } = requestTo(document, ask);
  const answer = await fetch(url, { method, headers, body: '{"sku":"a-1"}' });
  assert.is(answer.status, 200);
  const reply = ask.reply()?.messages();
  assert.ok(reply !== undefined && fits(reply, await answer.json()));
  assert.not.ok(reply !== undefined && fits(reply, { sku: 1 }), "control: the reply's schema says something");
  assert.is((await fetch(url, { method, body: "{}" })).status, 401, "control: the credential is needed");

  const [streamed] = listen.messages().all();
  const { properties } = streamed?.bindings().get("http")?.value().headers ?? {};
  const place = requestTo(document, listen);
  const events = await sse(String(place.url), { headers: place.headers });
  assert.is(events.response.headers.get("content-type"), properties["Content-Type"].const);
  assert.ok(fits(listen.messages(), JSON.parse((await events.next()).data)));
  events.close();
  assert.is(await gateway.program.stop(), 0);
});

test.run();
