import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreCatalogue } from "../schemas/catalogue.ts";
import { brings } from "./bundled-parts.ts";
import { type Bundle, bundleApi, bundleStream, connectorsOf, packagesOf } from "./bundles.ts";

const httpOutput = { http_client: { url: "http://127.0.0.1:9000/" } };

const unix = { network: "unix", address: "/tmp/a.sock" };

/** A gateway for each connector, in both directions, whose only other connector is `http_client`, and the budgets' keys. */
const streams: Readonly<Record<string, object>> = {
  amqp_0_9: {
    input: { amqp_0_9: { urls: ["amqp://127.0.0.1:5672"], queue: "in" } },
    output: { amqp_0_9: { urls: ["amqp://127.0.0.1:5672"], exchange: "out" } },
  },
  amqp_1: {
    input: { amqp_1: { urls: ["amqp://127.0.0.1:5672"], source_address: "in" } },
    output: { amqp_1: { urls: ["amqp://127.0.0.1:5672"], target_address: "out" } },
  },
  batched: {
    input: { batched: { child: httpInput(), policy: { count: 2, period: "1s" } } },
    output: httpOutput,
  },
  broker: { input: { broker: { inputs: [httpInput()] } }, output: { broker: { outputs: [httpOutput] } } },
  buffered: { input: { buffered: { child: httpInput(), buffer: { memory: {} } } }, output: httpOutput },
  cache: {
    input: httpInput(),
    output: { cache: { target: "near", key: "a" } },
    cache_resources: [{ label: "near", memory: {} }],
  },
  csv: { input: { csv: { paths: ["in.csv"] } }, output: httpOutput },
  drop: { input: httpInput(), output: { drop: {} } },
  drop_on: { input: httpInput(), output: { drop_on: { error: true, output: httpOutput } } },
  fallback: { input: httpInput(), output: { fallback: [httpOutput, httpOutput] } },
  file: { input: { file: { paths: ["in.txt"] } }, output: { file: { path: "out.txt" } } },
  file_tail: { input: { file_tail: { path: "in.txt" } }, output: httpOutput },
  generate: { input: { generate: { mapping: "root.id = 1" } }, output: httpOutput },
  http_client: { input: httpInput(), output: httpOutput },
  http_server: { input: { http_server: { path: "/in" } }, output: { http_server: { path: "/out" } } },
  inproc: { input: { inproc: "in" }, output: { inproc: "out" } },
  kafka: {
    input: { kafka: { addresses: ["127.0.0.1:9092"], topics: ["in"], consumer_group: "gateway" } },
    output: { kafka: { addresses: ["127.0.0.1:9092"], topic: "out" } },
  },
  kafka_franz: {
    input: { kafka_franz: { seed_brokers: ["127.0.0.1:9092"], topics: ["in"], consumer_group: "gateway" } },
    output: { kafka_franz: { seed_brokers: ["127.0.0.1:9092"], topic: "out" } },
  },
  mqtt: {
    input: { mqtt: { urls: ["tcp://127.0.0.1:1883"], topics: ["in"] } },
    output: { mqtt: { urls: ["tcp://127.0.0.1:1883"], topic: "out" } },
  },
  nats: {
    input: { nats: { urls: ["nats://127.0.0.1:4222"], subject: "in" } },
    output: { nats: { urls: ["nats://127.0.0.1:4222"], subject: "out" } },
  },
  nats_jetstream: {
    input: { nats_jetstream: { urls: ["nats://127.0.0.1:4222"], subject: "in" } },
    output: { nats_jetstream: { urls: ["nats://127.0.0.1:4222"], subject: "out" } },
  },
  nats_kv: {
    input: { nats_kv: { urls: ["nats://127.0.0.1:4222"], bucket: "in" } },
    output: { nats_kv: { urls: ["nats://127.0.0.1:4222"], bucket: "out", key: "a" } },
  },
  nats_object_store: {
    input: { nats_object_store: { urls: ["nats://127.0.0.1:4222"], bucket: "in" } },
    output: { nats_object_store: { urls: ["nats://127.0.0.1:4222"], bucket: "out", object_name: "a" } },
  },
  parquet: { input: { parquet: { paths: ["in.parquet"] } }, output: httpOutput },
  portal_webhook: {
    input: httpInput(),
    output: { portal_webhook: { event_type: "order.made", portal_url: "http://127.0.0.1:9000/" } },
  },
  read_until: { input: { read_until: { input: httpInput(), idle_timeout: "1s" } }, output: httpOutput },
  redis_hash: {
    input: httpInput(),
    output: { redis_hash: { url: "redis://127.0.0.1:6379", key: "a", walk_metadata: true } },
  },
  redis_list: {
    input: { redis_list: { url: "redis://127.0.0.1:6379", key: "in" } },
    output: { redis_list: { url: "redis://127.0.0.1:6379", key: "out" } },
  },
  redis_pubsub: {
    input: { redis_pubsub: { url: "redis://127.0.0.1:6379", channels: ["in"] } },
    output: { redis_pubsub: { url: "redis://127.0.0.1:6379", channel: "out" } },
  },
  redis_scan: { input: { redis_scan: { url: "redis://127.0.0.1:6379" } }, output: httpOutput },
  redis_streams: {
    input: { redis_streams: { url: "redis://127.0.0.1:6379", streams: ["in"], consumer_group: "gateway" } },
    output: { redis_streams: { url: "redis://127.0.0.1:6379", stream: "out" } },
  },
  reject: { input: httpInput(), output: { reject: "no" } },
  reject_errored: { input: httpInput(), output: { reject_errored: httpOutput } },
  retry: { input: httpInput(), output: { retry: { output: httpOutput } } },
  sequence: { input: { sequence: { inputs: [httpInput()] } }, output: httpOutput },
  socket: { input: { socket: unix }, output: { socket: unix } },
  socket_server: { input: { socket_server: unix }, output: httpOutput },
  sql: {
    input: httpInput(),
    output: { sql: { driver: "postgres", data_source_name: "postgres://a@127.0.0.1/b", query: "SELECT 1" } },
  },
  sql_insert: {
    input: httpInput(),
    output: {
      sql_insert: {
        driver: "postgres",
        dsn: "postgres://a@127.0.0.1/b",
        table: "a",
        columns: ["b"],
        args_mapping: "root = [ this.b ]",
      },
    },
  },
  sql_raw: {
    input: { sql_raw: { driver: "postgres", dsn: "postgres://a@127.0.0.1/b", query: "SELECT 1" } },
    output: { sql_raw: { driver: "postgres", dsn: "postgres://a@127.0.0.1/b", query: "SELECT 1" } },
  },
  sql_select: {
    input: {
      sql_select: { driver: "postgres", dsn: "postgres://a@127.0.0.1/b", table: "a", columns: ["*"] },
    },
    output: httpOutput,
  },
  stdin: { input: { stdin: {} }, output: httpOutput },
  stdout: { input: httpInput(), output: { stdout: {} } },
  subprocess: { input: httpInput(), output: { subprocess: { name: "cat" } } },
  switch: { input: httpInput(), output: { switch: { cases: [{ output: httpOutput }] } } },
  sync_response: { input: httpInput(), output: { sync_response: {} } },
  websocket: {
    input: { websocket: { url: "ws://127.0.0.1:8080/" } },
    output: { websocket: { url: "ws://127.0.0.1:8080/" } },
  },
  websocket_server: {
    input: { websocket_server: { path: "/in" } },
    output: { websocket_server: { path: "/out" } },
  },
};

/** Text that occurs only in the code of that package. */
const markers: Readonly<Record<string, string>> = {
  "@nats-io/jetstream": "no stream matches subject",
  "@nats-io/obj": "OBJ_WATCHER_",
  "@nats-io/transport-node": "node provided an undefined error",
  amqplib: "Channel ended, no reply will be forthcoming",
  ioredis: "Too many Cluster redirections",
  kafkajs: "KafkaJSProtocolError",
  mqtt: "client disconnecting",
  pg: "Connection terminated unexpectedly",
  rhea: "circular buffer overflow",
  ws: "Sec-WebSocket-Accept",
};

/** Packages of the compiler, which no gateway may contain. */
const compilerPackages = ["ajv", "commander", "esbuild", "swagger-parser", "ts-morph", "typescript", "yaml"];

function httpInput(): object {
  return { http_client: { url: "http://127.0.0.1:9000/", verb: "GET" } };
}

/** Each bundle is linked once, minified: the tests check contents and size of the same bundle. */
const bundles = new Map<string, Bundle>();
for (const [name, stream] of Object.entries(streams)) {
  bundles.set(name, await bundleStream(stream, { minify: true }));
}

function bundleOf(name: string): Bundle {
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`there is a gateway for ${name}`);
  return bundle;
}

test("each connector has a bundled gateway", () => {
  const connectors = [...coreCatalogue.all("input"), ...coreCatalogue.all("output")].map(({ name }) => name);
  assert.equal([...bundles.keys()], [...new Set(connectors)].sort());
});

for (const [name, { packages, folder, connectors: others = [] }] of Object.entries(brings)) {
  test(`a gateway of ${name} bundles what it needs, and no other connector`, () => {
    const bundle = bundleOf(name);
    const folders = [folder ?? name.replaceAll("_", "-"), ...others].sort();
    assert.equal([...connectorsOf(bundle)].sort(), folders);
    const broker = [...packagesOf(bundle)].filter((each) => Object.hasOwn(markers, each));
    assert.equal(broker.sort(), [...packages]);
  });
}

for (const [name, marker] of Object.entries(markers)) {
  test(`code of ${name} is only in the bundles that list its package`, () => {
    const having = [...bundles].filter(([, { code }]) => code.includes(marker)).map(([key]) => key);
    const expected = Object.keys(brings).filter((key) => brings[key]?.packages.includes(name));
    assert.equal(having, expected);
  });
}

test("except for licences, bundles are Latin-1, which Node reads faster and stores in one byte per character", () => {
  const wide = [...bundles].flatMap(([name, { code: linked }]) => {
    const code = linked.replaceAll(/\/\*[\s\S]*?\*\//g, "");
    const at = code.search(/[^\0-\xff]/);
    return at === -1 ? [] : [`${name}: ${code.slice(at - 40, at + 10)}`];
  });
  assert.equal(wide, []);
});

test("no gateway bundles the compiler", () => {
  assert.ok(
    [...bundles.values()].some((bundle) => packagesOf(bundle).has("kafkajs")),
    "packages are seen",
  );
  for (const [name, bundle] of bundles) {
    const packages = packagesOf(bundle);
    assert.equal(
      compilerPackages.filter((each) => packages.has(each)),
      [],
      name,
    );
    const own = [...bundle.modules.keys()].filter((path) => /^(compiler|schemas|test)\//.test(path));
    assert.equal(own, [], name);
  }
});

test("a gateway bundles the builtins that its mappings use, and no others", async () => {
  const using = async (mapping: string): Promise<Bundle> =>
    bundleStream({ ...streams.http_client, pipeline: { processors: [{ mapping }] } });
  const upper = await using("root.name = this.name.uppercase()");
  const hashed = await using('root.name = this.name.hash("sha256")');
  assert.match(upper.code, "function uppercase(");
  assert.not.match(hashed.code, "function uppercase(");
  assert.ok(hashed.modules.has("runtime/mapping/hashing.ts"));
  assert.not(upper.modules.has("runtime/mapping/hashing.ts"));
  assert.not.match(upper.code, "function capitalize(", "nor others of the same module");
});

test("a gateway bundles the formats and algorithms that it names, and no others", async () => {
  const using = async (...processors: readonly object[]): Promise<readonly string[]> => {
    const { modules } = await bundleStream({ ...streams.http_client, pipeline: { processors } });
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
  assert.equal(await carried({ "x-gw-streaming": { streams: { stream: streams.mqtt ?? {} } } }), []);
  const plain = await carried(upstream({}));
  assert.ok(plain.includes("runtime/proxy/forward.ts"));
  assert.not(plain.includes("runtime/requests/proxy.ts"));
  const proxied = await carried(upstream({ proxy: { enabled: true, url: "http://127.0.0.1:3128" } }));
  assert.ok(proxied.includes("runtime/requests/proxy.ts"));
});

test("a gateway without mappings bundles no mapping language", async () => {
  const mapped = (bundle: Bundle) =>
    [...bundle.modules.keys()].filter((path) => /^runtime\/(mapping|processors)\//.test(path));
  assert.equal(mapped(bundleOf("http_client")), []);
  const one = await bundleStream({
    ...streams.http_client,
    pipeline: { processors: [{ mapping: "root = this" }] },
  });
  assert.ok(mapped(one).includes("runtime/processors/mapping.ts"));
});

test("a gateway bundles the resources that are used, and no others", async () => {
  const using = async (cache: string): Promise<Bundle> =>
    bundleStream({
      ...streams.http_client,
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
  assert.equal(resources(bundleOf("http_client")), []);
});

test("a gateway bundles the exporters that it names, and no others", async () => {
  const using = async (analytics?: object): Promise<readonly string[]> => {
    const { modules } = await bundleStream(streams.http_client ?? {}, { ...(analytics && { analytics }) });
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
  const { modules } = await bundleStream({ ...streams.http_client, pipeline: { processors } });
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
      "x-gw-streaming": { streams: { stream: streams.http_server } },
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
      "x-gw-streaming": { streams: { stream: streams.http_server } },
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

test("a gateway bundles a portal with its store if it has one, and its page and e-mails if configured", async () => {
  const using = async (portal?: object) => {
    const bundle = await bundleStream(streams.http_client ?? {}, { ...(portal && { portal }) });
    const own = [...bundle.modules.keys()].filter((path) => /^runtime\/(portal|store)\//.test(path));
    return { packages: packagesOf(bundle), own: own.join() };
  };
  const none = await using();
  assert.is(none.own, "");
  assert.equal(
    ["kysely", "pg", "nodemailer", "ajv"].filter((each) => none.packages.has(each)),
    [],
  );
  const plain = await using({});
  assert.match(plain.own, /runtime\/portal\/portal\.ts/);
  assert.match(plain.own, /runtime\/store\/store\.ts/);
  assert.not.match(plain.own, /portal\/(page|mail\/(?!letters))/);
  assert.not(plain.packages.has("nodemailer"));
  assert.match((await using({ page: true })).own, /portal\/page\/page\.ts/);
  assert.not.match((await using({ page: false })).own, /portal\/page\//);
  const mailing = await using({ smtp: { url: "smtp://127.0.0.1:2525", from: "portal@example.com" } });
  assert.match(mailing.own, /portal\/mail\/(?!letters)/);
  assert.ok(mailing.packages.has("nodemailer"));
  const paged = await using({ page: true });
  assert.not.match(paged.own, /portal\/sign-on\//);
  assert.not(paged.packages.has("oauth4webapi"));
  const provider = { issuer: "https://a.example", client_id: "a", url: "https://b.example" };
  const signing = await using({ page: true, single_sign_on: provider });
  assert.match(signing.own, /portal\/sign-on\/portal-sign-on\.ts/);
  assert.ok(signing.packages.has("oauth4webapi"));
});

test("bundles stay within their budgets", async () => {
  const path = join(import.meta.dirname, "budgets.json");
  const budgets: Record<string, number> = JSON.parse(readFileSync(path, "utf8"));
  const sizes = new Map<string, number>();
  for (const [name, { code }] of bundles) sizes.set(name, Buffer.byteLength(code));
  const { code: withPortal } = await bundleStream(streams.http_client ?? {}, { minify: true, portal: {} });
  sizes.set("(a portal)", Buffer.byteLength(withPortal));
  if (process.env.UPDATE === "1") {
    const slack = [...sizes].map(([name, bytes]) => [name, Math.ceil((bytes * 1.05) / 1000) * 1000]);
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(slack), undefined, 2)}\n`);
    return;
  }
  assert.equal(Object.keys(budgets), [...sizes.keys()]);
  const exceeded: string[] = [];
  for (const [name, bytes] of sizes) {
    const budget = budgets[name] ?? 0;
    const size = `${name.padEnd(16)} ${String(bytes).padStart(7)} of ${budget} bytes, minified`;
    console.log(size);
    if (bytes > budget) exceeded.push(size);
  }
  assert.equal(exceeded, [], "budgets.json has the budgets");
});

test.run();
