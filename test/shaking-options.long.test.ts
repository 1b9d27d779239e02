// What the options of documents bring into bundles, one bundle for each option. `shaking.test.ts` has the connectors.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Bundle, bundleApi, bundleStream, packagesOf } from "./bundles.ts";

const httpOutput = { http_client: { url: "http://127.0.0.1:9000/" } };
const httpStream = { input: httpInput(), output: httpOutput };
const mqttStream = {
  input: { mqtt: { urls: ["tcp://127.0.0.1:1883"], topics: ["in"] } },
  output: { mqtt: { urls: ["tcp://127.0.0.1:1883"], topic: "out" } },
};
const serverStream = { input: { http_server: { path: "/in" } }, output: { http_server: { path: "/out" } } };

function httpInput(): object {
  return { http_client: { url: "http://127.0.0.1:9000/", verb: "GET" } };
}

test("a gateway bundles the formats and algorithms that it names, and no others", async () => {
  const using = async (...processors: readonly object[]): Promise<readonly string[]> => {
    const { modules } = await bundleStream({ ...httpStream, pipeline: { processors } });
    const own = [...modules].filter(([, bytes]) => bytes > 0).map(([path]) => path);
    return own.filter((path) =>
      /snappy|bzip|lz4|deflate|\/(tar|zip|csv|lines|json)[^/]*\.ts|schema-/.test(path),
    );
  };
  const isNamed = (name: string) => (path: string) => path.includes(name);
  const snappy = await using({ compress: { algorithm: "snappy" } });
  assert.ok(snappy.some(isNamed("node_modules/snappyjs")));
  assert.not.ok(
    snappy.some((path) => /bzip|lz4|deflate|archives/.test(path)),
    snappy.join(),
  );
  const bzip2 = await using({ decompress: { algorithm: "bzip2" } });
  assert.ok(bzip2.some(isNamed("runtime/mapping/bzip2.ts")));
  assert.not.ok(bzip2.some(isNamed("snappy")), bzip2.join());
  const tar = await using({ unarchive: { format: "tar" } });
  assert.ok(tar.some(isNamed("archives/tar.ts")));
  assert.not.ok(
    tar.some((path) => /archives\/(zip|csv|json|lines)|deflate|schema-/.test(path)),
    tar.join(),
  );
  const judged = await using({ json_schema: { schema: '{"type":"object"}' } });
  assert.ok(judged.some(isNamed("runtime/mapping/schema-checks.ts")));
  assert.not.ok(judged.some(isNamed("archives")), judged.join());
});

test("a gateway bundles the functions that its templates call, and no others", async () => {
  const called = async (text: string): Promise<readonly string[]> => {
    const { modules } = await bundleStream({
      ...httpStream,
      pipeline: { processors: [{ template: { text } }] },
    });
    const functions =
      /template\/(dates|dicts|encodings|lists|numbers|patterns|random|texts|urls|versions|words|inspect)\.ts$/;
    return [...modules]
      .flatMap(([path, bytes]) => (bytes > 0 ? (functions.exec(path)?.[1] ?? []) : []))
      .sort();
  };
  assert.equal(await called("{{ .a }}"), []);
  assert.equal(await called("{{ upper .a }}"), ["texts"]);
  assert.equal(await called('{{ semver "1.2.3" }}{{ now }}'), ["dates", "versions"]);
});

test("a gateway bundles the functions that its AWK programs call, and no others", async () => {
  const called = async (program: string): Promise<readonly string[]> => {
    const { modules } = await bundleStream({
      ...httpStream,
      pipeline: { processors: [{ awk: { codec: "none", program } }] },
    });
    return [...modules]
      .flatMap(([path, bytes]) =>
        bytes > 0 ? (/awk\/(documents|library|inspect)\.ts$/.exec(path)?.[1] ?? []) : [],
      )
      .sort();
  };
  assert.equal(await called("{ print $1 }"), []);
  assert.equal(await called('{ print json_get("a") }'), ["documents"]);
  assert.equal(await called('{ print base64_encode("a") }'), ["library"]);
});

test("a gateway bundles what the options of its outputs need, and nothing else", async () => {
  const carried = async (output: object): Promise<readonly string[]> => {
    const { modules } = await bundleStream({ input: httpInput(), output });
    const brought =
      /^runtime\/(?:sockets|clients|message|stream)\/(broadcast|event-ids|resumable-broadcast|replay|positions|acknowledged-client)\.ts$/;
    return [...modules].flatMap(([path, bytes]) => (bytes > 0 ? (brought.exec(path)?.[1] ?? []) : [])).sort();
  };
  const paths = { stream_path: "/events", ws_path: "/socket" };
  assert.equal(await carried({ http_server: paths }), []);
  assert.equal(await carried({ websocket_server: { path: "/socket" } }), []);
  const resumable = ["broadcast", "event-ids", "positions", "replay", "resumable-broadcast"];
  assert.equal(await carried({ http_server: { ...paths, distribution: "broadcast" } }), resumable);
  const toSockets = { websocket_server: { path: "/socket", distribution: "broadcast" } };
  assert.equal(await carried(toSockets), ["broadcast"]);
  assert.equal(await carried({ http_server: { ...paths, ack: "client" } }), ["acknowledged-client"]);
  const answering = { websocket_server: { path: "/socket", ack: "client" } };
  assert.equal(await carried(answering), ["acknowledged-client"]);
});

test("a gateway bundles a proxy if it has an upstream, and only what that upstream needs", async () => {
  const carried = async (parts: object): Promise<readonly string[]> => {
    const { modules } = await bundleApi(parts);
    return [...modules.keys()].filter((path) => /^runtime\/(proxy|requests)\//.test(path));
  };
  const upstream = (more: object) => ({
    "x-gw-api-gateway": { upstream: { url: "http://127.0.0.1:9000", ...more } },
  });
  assert.equal(
    await carried({
      "x-gw-streaming": {
        streams: {
          stream: mqttStream,
        },
      },
    }),
    [],
  );
  const plain = await carried(upstream({}));
  assert.ok(plain.includes("runtime/proxy/forward.ts"));
  assert.not(plain.includes("runtime/requests/proxy.ts"));
  const proxied = await carried(upstream({ proxy: { enabled: true, url: "http://127.0.0.1:3128" } }));
  assert.ok(proxied.includes("runtime/requests/proxy.ts"));
});

test("a gateway bundles the resources that are used, and no others", async () => {
  const using = async (cache: string): Promise<Bundle> =>
    bundleStream({
      ...httpStream,
      pipeline: { processors: [{ cache: { resource: cache, operator: "get", key: "a" } }] },
      cache_resources: [
        { label: "near", memory: {} },
        { label: "far", redis: { url: "redis://127.0.0.1:6379" } },
      ],
    });
  const [near, far] = [await using("near"), await using("far")];
  const resources = (bundle: Bundle) =>
    [...bundle.modules.keys()].filter((path) => /^runtime\/resources\/[^/]+$/.test(path)).sort();
  assert.equal(resources(near), ["runtime/resources/memory-cache.ts"]);
  assert.equal(
    resources(far),
    ["asking-again", "redis-addresses", "redis-cache", "redis-client"].map(
      (name) => `runtime/resources/${name}.ts`,
    ),
  );
  assert.not(packagesOf(near).has("ioredis"));
  assert.ok(packagesOf(far).has("ioredis"));
  assert.equal(resources(await bundleStream(httpStream)), []);
});

test("a gateway bundles the exporters that it names, and no others", async () => {
  const using = async (analytics?: object): Promise<readonly string[]> => {
    const { modules } = await bundleStream(httpStream, { ...(analytics && { analytics }) });
    return [...modules.keys()].filter((path) => path.startsWith("runtime/analytics/"));
  };
  const exporters = ["prometheus", "opentelemetry", "statsd"];
  for (const name of exporters) {
    const carried = await using({ [name]: {} });
    const found = exporters.filter((each) => carried.some((path) => path.includes(each)));
    assert.equal(found, [name]);
    assert.not(carried.some((path) => path.includes("access-log")));
  }
  assert.equal(await using(), []);
  assert.equal(await using({ prometheus: { enabled: false } }), []);
  const processors = [{ mapping: "root.trace = tracing_span()" }];
  const { modules } = await bundleStream({ ...httpStream, pipeline: { processors } });
  assert.ok(modules.has("runtime/mapping/messages.ts"));
  assert.equal(
    [...modules.keys()].filter((path) => path.startsWith("runtime/analytics/")),
    [],
  );
});

test("a gateway bundles the versioning locations that its documents use, and no others", async () => {
  const using = async (versioning?: object) => {
    const info = { id: "api", ...(versioning && { versioning: { enabled: true, ...versioning } }) };
    const bundle = await bundleApi({
      "x-gw-api-gateway": { info },
      "x-gw-streaming": { streams: { stream: serverStream } },
    });
    return [...bundle.modules.keys()].filter((path) => path.startsWith("runtime/http/versions/"));
  };
  const [choose, inPath, keyed] = ["choose", "in-path", "keyed"].map(
    (name) => `runtime/http/versions/${name}.ts`,
  );
  assert.equal(await using(), []);
  assert.equal(await using({ enabled: false, location: "url" }), []);
  assert.equal((await using({ location: "url" })).sort(), [choose, inPath]);
  assert.equal((await using({ location: "header", key: "x-version" })).sort(), [choose, keyed]);
});

test("a gateway bundles the authentication schemes that it requires, and no others", async () => {
  const using = async (scheme: object, settings: object, clients?: readonly object[]) => {
    const authentication = { enabled: true, securitySchemes: { it: { enabled: true, ...settings } } };
    const parts = {
      components: { securitySchemes: { it: scheme } },
      security: [{ it: [] }],
      "x-gw-api-gateway": { server: { authentication } },
      "x-gw-streaming": { streams: { stream: serverStream } },
    };
    const keys = [{ key_hash: "0".repeat(64), access_rights: { api: {} } }];
    const bundle = await bundleApi(parts, { keys, ...(clients && { clients }) });
    const own = [...bundle.modules.keys()].filter((path) =>
      /^runtime\/(protections\/authentication|oauth)/.test(path),
    );
    return { packages: packagesOf(bundle), own: own.join() };
  };
  const bearer = { type: "http", scheme: "bearer", bearerFormat: "JWT" };
  const oauth2 = { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/oauth/token", scopes: {} } } };
  const hash = "0".repeat(64);
  const key = await using({ type: "apiKey", in: "header", name: "X-Key" }, {});
  assert.not.match(key.own, /jwt|tokens|signatures|certificates|oauth/);
  assert.not(key.packages.has("jose"));
  const token = await using(bearer, { signingMethod: "rsa", source: "${KEY}" });
  assert.match(token.own, /jwt\.ts/);
  assert.ok(token.packages.has("jose"));
  assert.not.match(token.own, /introspection|discovered|signatures|certificates|runtime\/oauth/);
  const signed = await using({ type: "http", scheme: "signature" }, {});
  assert.match(signed.own, /check-signature\.ts/);
  assert.not.match(signed.own, /jwt|certificates|runtime\/oauth/);
  assert.not(signed.packages.has("jose"));
  const asked = await using(oauth2, { introspection: { url: "http://issuer.example" } });
  assert.match(asked.own, /introspection\.ts/);
  assert.not(asked.packages.has("jose"));
  const given = await using(oauth2, {}, [{ client_id: "a", secret_hash: hash, policy_id: "gold" }]);
  assert.match(given.own, /authentication\/access-token\.ts/);
  assert.match(given.own, /oauth\/token-endpoint\.ts/);
  assert.not(given.packages.has("jose"));
});

test.run();
