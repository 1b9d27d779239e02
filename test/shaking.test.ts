import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreCatalogue } from "../schemas/catalogue.ts";
import { brings } from "./bundled-parts.ts";
import { type Bundle, bundleStream, connectorsOf, packagesOf } from "./bundles.ts";

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
  fsevent: { input: { fsevent: { paths: ["in"] } }, output: httpOutput },
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
