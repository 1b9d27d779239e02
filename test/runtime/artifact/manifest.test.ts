import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  type ArtifactManifest,
  printManifest,
  readManifest,
} from "../../../runtime/gateway/artifact/manifest.ts";

const digest = "a1".repeat(32);
const parts = { input: digest, pipeline: digest, output: digest, resources: digest, shape: digest };
const api = {
  module: digest,
  imports: ["runtime/connectors/http-server/input.ts", "runtime/gateway.ts"],
  id: "orders",
  name: "Orders",
  listenPath: "/orders/",
  streams: { intake: parts, "an other": parts },
  stopped: ["intake"],
  restarts: { intake: 3 },
};
const manifest: ArtifactManifest = {
  format: 1,
  number: 7,
  runtime: `sha256-${digest}`,
  gateway: { module: digest, imports: ["runtime/gateway.ts"] },
  apis: [api, { ...api, id: "chat", listenPath: "/", streams: {} }],
};

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const withApi = (change: object) => ({ ...manifest, apis: [{ ...api, ...change }] });

test("a printed manifest is read back and printed to the same bytes", () => {
  const bytes = printManifest(manifest);
  const read = readManifest(bytes);
  assert.equal(read, manifest);
  assert.equal(printManifest(read), bytes);
});

const refused: Readonly<Record<string, readonly [value: unknown, message: RegExp]>> = {
  "a list": [[], /manifest is not an object/],
  nothing: [null, /manifest is not an object/],
  "another format": [{ format: 2, streams: [] }, /manifest\.format is 2, not 1/],
  "no format": [{}, /manifest\.format is missing: this is not a deployment/],
  "a field nobody knows": [{ ...manifest, extra: 1 }, /manifest has an unknown field `extra`/],
  "a number that is none": [
    { ...manifest, number: 0 },
    /manifest\.number cannot be 0, only a whole number from 1/,
  ],
  "half a number": [{ ...manifest, number: 1.5 }, /manifest\.number cannot be 1\.5/],
  "a runtime without its kind": [{ ...manifest, runtime: digest }, /manifest\.runtime/],
  "no gateway": [{ ...manifest, gateway: undefined }, /manifest\.gateway is not an object/],
  "APIs by name": [{ ...manifest, apis: {} }, /manifest\.apis is not a list/],
  "an API twice": [{ ...manifest, apis: [api, api] }, /the manifest has `orders` twice/],
  "a path for a module": [withApi({ module: "../../etc/passwd" }), /manifest\.apis\[0\]\.module/],
  "a digest in capitals": [withApi({ module: digest.toUpperCase() }), /manifest\.apis\[0\]\.module/],
  "an import from elsewhere": [
    withApi({ imports: ["node:fs"] }),
    /apis\[0\]\.imports\[0\] cannot be "node:fs"/,
  ],
  "an import out of the runtime": [withApi({ imports: ["runtime/../x.ts"] }), /apis\[0\]\.imports\[0\]/],
  "an import twice": [withApi({ imports: ["runtime/a.ts", "runtime/a.ts"] }), /imports has something twice/],
  "an empty id": [withApi({ id: "" }), /manifest\.apis\[0\]\.id/],
  "half a listen path": [withApi({ listenPath: "/orders" }), /manifest\.apis\[0\]\.listenPath/],
  "streams in a list": [withApi({ streams: [] }), /manifest\.apis\[0\]\.streams is not an object/],
  "a digest too few": [withApi({ streams: { a: { ...parts, shape: undefined } } }), /streams\.a\.shape/],
  "a digest too many": [withApi({ streams: { a: { ...parts, other: digest } } }), /unknown field `other`/],
  "restarts that count down": [withApi({ restarts: { intake: -1 } }), /restarts\.intake cannot be -1/],
};

for (const [name, [value, message]] of Object.entries(refused))
  test(`${name} is rejected`, () => assert.throws(() => readManifest(encode(value)), message));

test("`__proto__` is rejected as a name", () => {
  const text = JSON.stringify(withApi({})).replace('"intake":{', '"__proto__":{');
  assert.throws(() => readManifest(new TextEncoder().encode(text)), /has a field `__proto__`/);
});

test("a manifest contains host names, which must be normalised and unique", () => {
  const withHosts = (hosts: unknown) => encode({ ...manifest, hosts });
  const assigned = { ...manifest, hosts: { acme: ["*.acme.example", "api.acme.example"], blue: [] } };
  assert.equal(readManifest(printManifest(assigned)), assigned);
  for (const name of [
    "API.acme.example",
    "acme.example.",
    "acme.example:443",
    "*",
    "a.*.b",
    "*.*.b",
    "",
    "a..b",
  ])
    assert.throws(
      () => readManifest(withHosts({ acme: [name] })),
      /manifest\.hosts\.acme\[0\] cannot be/,
      name,
    );
  assert.throws(() => readManifest(withHosts({ acme: ["a.example", "a.example"] })), /something twice/);
  assert.throws(
    () => readManifest(withHosts({ acme: ["a.example"], blue: ["a.example"] })),
    /manifest\.hosts has `a\.example` twice/,
  );
  assert.throws(() => readManifest(withHosts(["a.example"])), /manifest\.hosts is not an object/);
});

test("bytes that are not JSON in UTF-8 are rejected", () => {
  for (const bytes of [new Uint8Array(), Uint8Array.of(0xff), printManifest(manifest).subarray(0, 100)])
    assert.throws(() => readManifest(bytes), /the manifest is not JSON in UTF-8/);
});

test("error messages truncate long invalid values", () => {
  const long = withApi({ module: "x".repeat(100_000) });
  assert.throws(
    () => readManifest(encode(long)),
    (error: Error) => error.message.length < 200,
  );
});

test.run();
