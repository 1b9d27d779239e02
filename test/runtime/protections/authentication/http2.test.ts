import { test } from "uvu";
import * as assert from "uvu/assert";
import { plainHttpServerInput } from "../../../../runtime/connectors/http-server/input.ts";
import { secureListener } from "../../../../runtime/http/listener/secure.ts";
import { configuredKeys } from "../../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../../runtime/keys/key-hash.ts";
import { authToken } from "../../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../../runtime/protections/authentication/authentication.ts";
import { createCertificates } from "../../../harness/certificates.ts";
import { memoryOutput } from "../../gateway/components.ts";
import { http2Client } from "../../listener/http2-client.ts";
import { serveWith } from "../../listener/serving.ts";

test("keys are required and stripped over HTTP/2, too", async () => {
  const { server, authority } = await createCertificates();
  const output = memoryOutput();
  const protection = authentication({
    methods: { key: authToken({ header: "X-Api-Key", query: "key", cookie: "key" }) },
    requirements: [{ key: [] }],
  });
  const streams = { intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output }) };
  const gateway = await serveWith({
    tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
    keys: () => configuredKeys({ keys: [{ key_hash: hashKey("right") }] }),
    apis: [{ id: "orders", listenPath: "/orders/", streams, protections: () => [protection] }],
  });
  const client = await http2Client(gateway.url, { ca: authority.cert });
  const statusOf = async (headers: Record<string, string | string[]>, query = "") => {
    const path = { ":method": "POST", ":path": `/orders/new${query}` };
    return (await client.ask({ ...path, ...headers }, "a")).status;
  };
  assert.is(await statusOf({}), 401);
  assert.is(await statusOf({ "x-api-key": "wrong" }), 403);
  assert.is(await statusOf({ "x-api-key": ["right", "right"] }), 400);
  assert.is(await statusOf({ "x-api-key": "right", cookie: "key=right; other=1" }, "?key=right&a=1"), 200);
  assert.is(await statusOf({ cookie: ["other=1", "key=right"] }), 200);
  const metadata = output.batches.flat().map((message) => [...message.metadata]);
  assert.is(metadata.length, 2);
  assert.not(JSON.stringify(metadata).includes("right"));
  client.close();
  await gateway.close();
});

test.run();
