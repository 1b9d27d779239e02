import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { warmSluice } from "../harness/sluice.ts";
import { sse } from "../harness/sse-client.ts";
import { startBundle } from "./gateway.ts";

const shop = { "x-api-key": "key of the shop" };
const dashboard = { "x-api-key": "key of the dashboard" };
const ann = { authorization: `Basic ${Buffer.from("ann:blue").toString("base64")}` };
const wrong = { authorization: `Basic ${Buffer.from("ann:red").toString("base64")}` };

test("keys and users may call what their policies allow", async () => {
  const backend = await httpServer(() => ({ body: "items" }));
  const folder = temporaryDirectory("keys");
  const built = await warmSluice(["build", "examples/keys/gateway.yaml", "-o", folder], { cwd: projectRoot });
  assert.is(built.status, 0, built.stderr);
  const hashes = {
    SHOP_KEY_HASH: hashKey(shop["x-api-key"]),
    DASHBOARD_KEY_HASH: hashKey(dashboard["x-api-key"]),
    ANN_PASSWORD_HASH: hashSync("blue", 4),
  };
  const gateway = await startBundle(folder, { ...hashes, BACKEND: backend.url });
  const call = async (path: string, headers: Record<string, string>, body?: string) => {
    const init = body === undefined ? { headers } : { method: "POST", headers, body };
    const response = await fetch(`${gateway.url}/orders${path}`, init);
    return [response.status, await response.text()];
  };

  const stream = await sse(`${gateway.url}/orders/events?key=${encodeURIComponent(dashboard["x-api-key"])}`);
  const missing = '{"error":"Authorization field missing"}';
  const forbidden = '{"error":"Access to this resource has been disallowed"}';
  assert.equal(await call("/new", {}, "1"), [401, missing]);
  assert.equal(await call("/new", shop, "2"), [200, ""]);
  assert.equal(await call("/new", dashboard, "3"), [403, forbidden]);
  assert.equal(await call("/new", ann, "4"), [200, ""]);
  assert.equal(await call("/new", wrong, "5"), [401, '{"error":"User not authorised"}']);
  assert.equal(await call("/events", shop), [403, forbidden]);
  assert.equal(await call("/new", { "x-api-key": hashes.SHOP_KEY_HASH }, "6"), [
    403,
    '{"error":"Access to this API has been disallowed"}',
  ]);
  assert.equal(await stream.take(2), ["2", "4"]);

  assert.equal(await call("/items", {}), [401, missing]);
  assert.equal(await call("/items", shop), [403, forbidden]);
  assert.equal(await call("/items", dashboard), [200, "items"]);
  assert.equal(await call("/status", {}), [200, "items"]);
  assert.equal(
    backend.requests.map(({ path, headers }) => [path, headers["x-api-key"]]),
    [
      ["/items", undefined],
      ["/status", undefined],
    ],
  );

  stream.close();
  assert.is(await gateway.program.stop(), 0);
  const secrets = [shop["x-api-key"], dashboard["x-api-key"], "blue", ...Object.values(hashes)];
  const bundle = readFileSync(join(folder, "gateway.mjs"), "utf8");
  for (const secret of secrets) {
    assert.not(gateway.program.output().includes(secret), "a line of the log holds a secret");
    if (secret !== "blue") assert.not(bundle.includes(secret), "the bundle holds a secret");
  }
  await backend.close();
});

test.run();
