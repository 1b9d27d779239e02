import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderSource, writeBlob, writeManifest } from "../../../runtime/gateway/artifact/artifact-folder.ts";
import { maximumManifestBytes } from "../../../runtime/gateway/artifact/manifest.ts";
import { reportTo } from "../../../runtime/gateway/artifact/serve-source.ts";
import { managementSource } from "../../../runtime/gateway/artifact/settings.ts";
import { maximumBlobBytes } from "../../../runtime/gateway/artifact/source.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpServer, type ReceivedRequest, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { apiModule, type Packed, pack } from "./deployments.ts";

const { signal } = new AbortController();
const sample = (number: number) => pack({ number, apis: { orders: apiModule("orders", number) } });

async function rejects(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, Error);
  assert.match((error as Error).message, message);
}

async function writeAll(folder: string, packed: Packed): Promise<void> {
  for (const [digest, bytes] of packed.blobs) await writeBlob(folder, digest, bytes);
  await writeManifest(folder, packed, new Set(packed.blobs.keys()));
}

test("a folder source reads the deployment that was written to it", async () => {
  const folder = temporaryDirectory("deployed");
  const packed = sample(1);
  await writeAll(folder, packed);
  const source = folderSource(folder);
  const found = await source.next(undefined, 0, signal);
  assert.equal(new Uint8Array(found?.bytes ?? []), packed.bytes);
  assert.is(found?.signature?.trim(), packed.signature);
  for (const [digest, bytes] of packed.blobs)
    assert.equal(new Uint8Array(await source.blob(digest, signal)), bytes);
});

test("a folder source reports the next deployment to a waiting reader, and nothing if there is none", async () => {
  const folder = temporaryDirectory("deployed");
  const [first, second] = [sample(1), sample(2)];
  await writeAll(folder, first);
  const source = folderSource(folder);
  assert.is((await source.next(undefined, 0, signal))?.digest, first.digest);
  const coming = source.next(first.digest, 60_000, signal);
  await writeAll(folder, second);
  assert.is((await coming)?.digest, second.digest);
  assert.is(await source.next(second.digest, 1, signal), undefined);
});

test("a missing folder and oversized files are errors", async () => {
  const folder = temporaryDirectory("deployed");
  await rejects(folderSource(folder).next(undefined, 0, signal), /ENOENT/);
  writeFileSync(join(folder, "manifest.json"), "");
  truncateSync(join(folder, "manifest.json"), maximumManifestBytes + 1);
  await rejects(folderSource(folder).next(undefined, 0, signal), /has more than/);
  mkdirSync(join(folder, "blobs"));
  const digest = "0".repeat(64);
  writeFileSync(join(folder, "blobs", digest), "");
  truncateSync(join(folder, "blobs", digest), maximumBlobBytes + 1);
  await rejects(folderSource(folder).blob(digest, signal), /has more than/);
  rmSync(folder, { recursive: true });
});

/** Starts a management service that responds with the result of `answer`. */
async function management(answer: (request: ReceivedRequest) => Reply | Promise<Reply>) {
  const server = await httpServer(answer);
  const url = new URL(`${server.url}/base/`);
  return { server, source: managementSource({ url, token: "secret", id: "gw 1/a" }) };
}

const manifestReply = ({ bytes, digest, signature = "" }: Packed): Reply => ({
  headers: { etag: `"${digest}"`, "x-gw-signature": signature },
  body: new TextDecoder().decode(bytes),
});

test("the management service is called with the token, and with a wait once a deployment is known", async () => {
  const packed = sample(1);
  const { server, source } = await management(({ headers }) =>
    headers["if-none-match"] === undefined ? manifestReply(packed) : { status: 304 },
  );
  const found = await source.next(undefined, 25_000, signal);
  assert.is(found?.digest, packed.digest);
  assert.is(found?.signature, packed.signature);
  assert.is(await source.next(packed.digest, 10, signal), undefined);
  assert.equal(
    server.requests.map(({ path, headers }) => [path, headers.authorization, headers["if-none-match"]]),
    [
      ["/base/api/deployments/current?wait=0", "secret", undefined],
      ["/base/api/deployments/current?wait=1", "secret", `"${packed.digest}"`],
    ],
  );
  await server.close();
});

test("a response that repeats the known deployment counts as unchanged", async () => {
  const packed = sample(1);
  const { server, source } = await management(() => manifestReply(packed));
  assert.is(await source.next(packed.digest, 10, signal), undefined);
  await server.close();
});

test("a truncated manifest is rejected", async () => {
  const packed = sample(1);
  const { server, source } = await management(() => ({
    ...manifestReply(packed),
    body: new TextDecoder().decode(packed.bytes.subarray(0, 100)),
  }));
  await rejects(source.next(undefined, 0, signal), /truncated, or changed/);
  await server.close();
});

test("modules are fetched by their digest only", async () => {
  const packed = sample(1);
  const [[digest, bytes] = ["", new Uint8Array()]] = packed.blobs;
  const { server, source } = await management(({ path }) =>
    path === `/base/api/artifacts/${digest}` ? { body: new TextDecoder().decode(bytes) } : { status: 404 },
  );
  assert.equal(new Uint8Array(await source.blob(digest, signal)), bytes);
  await rejects(source.blob("f".repeat(64), signal), /it answers 404/);
  await server.close();
});

test("redirects are not followed, so no other host receives the token or the request", async () => {
  const other = await httpServer();
  for (const status of [301, 302, 303, 307, 308]) {
    const { server, source } = await management(() => ({ status, headers: { location: `${other.url}/x` } }));
    await rejects(
      source.next(undefined, 0, signal),
      /it redirects to http:\/\/127\.0\.0\.1:\d+, which is not followed/,
    );
    await rejects(source.blob("f".repeat(64), signal), /it redirects to/);
    await server.close();
  }
  assert.is(other.requests.length, 0);
  await other.close();
});

test("response sizes are limited, also after decompression", async () => {
  const huge = "x".repeat(maximumBlobBytes + 1);
  const { server, source } = await management(() => ({ body: huge }));
  await rejects(source.blob("f".repeat(64), signal), /its answer has more than/);
  await server.close();
  const { gzipSync } = await import("node:zlib");
  const { createServer } = await import("node:http");
  const packed = gzipSync(huge);
  const zipping = createServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
  }).listen(0, "127.0.0.1");
  await until(() => zipping.listening);
  const address = zipping.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const zipped = managementSource({ url, token: undefined, id: "a" });
  assert.ok(packed.length < 100_000);
  await rejects(zipped.blob("f".repeat(64), signal), /its answer has more than/);
  zipping.closeAllConnections();
  zipping.close();
});

test("error statuses are reported as errors", async () => {
  for (const status of [401, 403, 404, 500, 503]) {
    const { server, source } = await management(() => ({ status, body: "<html>" }));
    await rejects(source.next(undefined, 0, signal), new RegExp(`it answers ${status}`));
    await server.close();
  }
});

test("reports are sent on changes, under the gateway's name", async () => {
  const { server, source } = await management(() => ({ status: 204 }));
  const ending = new AbortController();
  const log = createLogger("silent");
  let deployment = 1;
  const report = () => ({ deployment, outcomes: [], needsRestart: false, runtime: "sha256-0", streams: [] });
  const reporting = reportTo(source, report, { log, signal: ending.signal });
  await until(() => server.requests.length === 1);
  deployment = 2;
  await until(() => server.requests.length === 2);
  assert.equal(
    server.requests.map(({ method, path, body }) => [method, path, JSON.parse(body).deployment]),
    [
      ["POST", "/base/api/gateways/gw%201%2Fa/report", 1],
      ["POST", "/base/api/gateways/gw%201%2Fa/report", 2],
    ],
  );
  ending.abort();
  await reporting;
  await server.close();
});

test.run();
