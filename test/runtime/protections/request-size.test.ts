import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { requestSizeLimit } from "../../../runtime/protections/request-size.ts";
import { httpServer } from "../../harness/http-server.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";
import { startGuarded } from "./guarded.ts";

const limit = requestSizeLimit({ enabled: true, value: 10 });

/** Returns a body whose size is not known in advance. */
function chunked(text: string): RequestInit {
  const chunks = new Blob([text]).stream();
  return { method: "POST", body: chunks, duplex: "half" };
}

test("bodies up to the limit pass, larger ones are answered 413 in every transfer form", async () => {
  const gateway = await startGuarded([limit]);
  const rows: readonly [RequestInit, number][] = [
    [{ method: "POST", body: "1234567890" }, 200],
    [{ method: "POST", body: "12345678901" }, 413],
    [chunked("1234567890"), 200],
    [chunked("12345678901"), 413],
    [{ method: "POST", body: gzipSync("a".repeat(1000)), headers: { "content-encoding": "gzip" } }, 413],
  ];
  for (const [request, status] of rows) {
    const response = await fetch(gateway.url, request);
    assert.is(response.status, status);
    if (status === 413) assert.equal(await response.json(), { error: "Request body is too large" });
  }
  assert.equal(gateway.received, ["1234567890", "1234567890"]);
  await gateway.close();
});

test("the gateway's limit applies to every API", async () => {
  const gateway = await startGuarded([requestSizeLimit({ enabled: true, value: 1000 })], {
    maxBodyBytes: 10,
  });
  assert.is((await fetch(gateway.url, { method: "POST", body: "12345678901" })).status, 413);
  assert.is((await fetch(gateway.url, chunked("12345678901"))).status, 413);
  assert.equal(gateway.received, []);
  await gateway.close();
});

test("a disabled limit has no effect", async () => {
  for (const options of [{}, { enabled: false, value: 1 }]) {
    const gateway = await startGuarded([requestSizeLimit(options)]);
    assert.is((await fetch(gateway.url, { method: "POST", body: "ab" })).status, 200);
    await gateway.close();
  }
});

test("bodies for the upstream have the same limit", async () => {
  const target = await httpServer();
  const gateway = await startGateway([{ ...ordersApi({}, target.url), protections: () => [limit] }]);
  const url = `${gateway.url}/orders/`;
  assert.is((await fetch(url, { method: "POST", body: "1234567890" })).status, 200);
  assert.is((await fetch(url, { method: "POST", body: "12345678901" })).status, 413);
  assert.is((await fetch(url, chunked("1234567890"))).status, 200);
  assert.is((await fetch(url, chunked("12345678901"))).status, 413);
  const bodies = target.requests.map(({ body }) => body);
  assert.equal(bodies, ["1234567890", "1234567890"], "what is cut off is no request");
  await gateway.close();
  await target.close();
});

test.run();
