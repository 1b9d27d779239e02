// Random sets of documents whose names and paths are likely to collide.

import fc from "fast-check";

/** The files of a set by name; `gateway.yaml` refers to the others. */
export type SetFiles = Readonly<Record<string, string>>;

const listenPath = fc.constantFrom(
  "/",
  "",
  "//",
  "/a",
  "/a/",
  "/A/",
  "/a/b/",
  "/a//b/",
  "/{x}/",
  "/{y}",
  "/{x}/b",
  "/a/{z}/",
  "/a%20b/",
  "/a b/",
  "/é/",
  "/%C3%A9/",
  "/./a/",
);
const host = fc.constantFrom("a.test", "A.test.", "b.test", "bücher.test", "xn--bcher-kva.test", "${HOST}");
const id = fc.constantFrom("one", "One", "two", "one-two", "one two", "__proto__", "constructor");
const route = fc.oneof(
  { arbitrary: fc.stringMatching(/^\/[a-z]{2}(\/\{[pq]\})?\/?$/), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      "/r",
      "//r",
      "/r/",
      "/{p}",
      "/{q}",
      "/{p}/s",
      "/r/{q}",
      "/R",
      "/r%20s",
      "/r s",
      "/a/r",
    ),
    weight: 1,
  },
);
const verbs = fc.subarray(["GET", "POST", "PUT"], { minLength: 1 });
const label = fc.constantFrom("seen", "Seen", "seen two", "seen-two", "__proto__", "constructor", "ä");
const name = fc.constantFrom("s", "S", "s-1", "s 1", "s_1", "t", "__proto__", "toString", "ü");

const brokers = fc.constantFrom(
  { inproc: "jobs" },
  { inproc: "other" },
  { drop: {} },
  { mqtt: { urls: ["tcp://127.0.0.1:9"], topic: "t" } },
  { nats: { urls: ["nats://127.0.0.1:9"], subject: "s" } },
);
const sources = fc.constantFrom(
  { inproc: "jobs" },
  { generate: { mapping: "root = 1", interval: "1h" } },
  { mqtt: { urls: ["tcp://127.0.0.1:9"], topics: ["t"] } },
  { nats: { urls: ["nats://127.0.0.1:9"], subject: "s" } },
);

/** Present with a probability of `tenths` in ten. */
const optional = <T>(value: fc.Arbitrary<T>, tenths = 3): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: value, weight: tenths }, { arbitrary: fc.constant(undefined), weight: 10 - tenths });

const httpInput = fc
  .record({ path: route, ws_path: optional(route), allowed_verbs: optional(verbs) })
  .map((fields) => ({ http_server: fields }));
const httpOutput = fc
  .record({
    path: route,
    stream_path: optional(route),
    ws_path: optional(route),
    allowed_verbs: optional(verbs),
  })
  .map((fields) => ({ http_server: fields }));

const steps = fc.constantFrom(
  [],
  [{ mapping: "root = this.string().uppercase()" }],
  [{ mapping: "root = this" }, { log: { message: "${! content() }" } }],
);

const stream = fc
  .record({
    input: fc.oneof(httpInput, sources),
    output: fc.oneof(httpOutput, brokers),
    processors: steps,
    labels: fc.uniqueArray(label, { maxLength: 3 }),
    limit: optional(fc.constantFrom("limit", "toString")),
  })
  .map(({ input, output, processors, labels, limit }) => ({
    input,
    pipeline: {
      processors: [...processors, ...labels.map((each) => ({ dedupe: { cache: each, key: "${! @id }" } }))],
    },
    output,
    cache_resources: labels.map((each) => ({ label: each, memory: {} })),
    ...(limit !== undefined && { rate_limit_resources: [{ label: limit, local: {} }] }),
  }));

/** Streams between brokers only. They have no path, so several can coexist. */
const background = fc.record({ input: sources, output: brokers });

const api = fc
  .record({
    id: optional(id, 4),
    path: optional(listenPath, 8),
    server: optional(listenPath),
    host: optional(host, 4),
    internal: optional(fc.boolean(), 2),
    upstream: optional(fc.constantFrom("http://127.0.0.1:9", "${UPSTREAM}")),
    key: fc.boolean(),
    versions: optional(
      fc.record({
        location: fc.constantFrom("header", "url-param", "url"),
        fallback: fc.constantFrom("v1", "self"),
        names: fc.uniqueArray(fc.constantFrom("v1", "v2", "V1", "r"), { maxLength: 2 }),
        of: id,
      }),
      1,
    ),
    streams: fc.dictionary(name, stream, { maxKeys: 3 }),
  })
  .map((drawn) => ({
    openapi: "3.1.0",
    info: { title: "Random", version: "1" },
    paths: {},
    ...(drawn.server !== undefined && { servers: [{ url: drawn.server }] }),
    ...(drawn.key && {
      components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } } },
      security: [{ key: [] }],
    }),
    "x-gw-api-gateway": {
      info: {
        name: "random",
        ...(drawn.id !== undefined && { id: drawn.id }),
        state: { active: true, ...(drawn.internal !== undefined && { internal: drawn.internal }) },
        ...(drawn.versions !== undefined && {
          versioning: {
            enabled: true,
            name: "self",
            default: drawn.versions.fallback,
            location: drawn.versions.location,
            key: "x-version",
            versions: drawn.versions.names.map((each) => ({ name: each, id: drawn.versions?.of })),
          },
        }),
      },
      server: {
        ...(drawn.path !== undefined && { listenPath: { value: drawn.path } }),
        ...(drawn.host !== undefined && { customDomain: { enabled: true, name: drawn.host } }),
        ...(drawn.key && { authentication: { enabled: true, securitySchemes: { key: { enabled: true } } } }),
      },
      ...(drawn.upstream !== undefined && { upstream: { url: drawn.upstream } }),
    },
    "x-gw-streaming": { streams: drawn.streams },
  }));

const settings = fc.record({
  listen: optional(fc.constantFrom("127.0.0.1:0", "${LISTEN:127.0.0.1:0}")),
  store: optional(fc.constantFrom("sqlite::memory:")),
  keys: optional(fc.constantFrom([], [{ key_hash: "0".repeat(64) }])),
});

/** A set of one to four documents. */
export const randomSet: fc.Arbitrary<SetFiles> = fc
  .record({
    documents: fc.array(
      fc.oneof(
        { arbitrary: stream, weight: 1 },
        { arbitrary: background, weight: 2 },
        { arbitrary: api, weight: 4 },
      ),
      { minLength: 1, maxLength: 4 },
    ),
    streams: fc.oneof(
      { arbitrary: fc.constant(true), weight: 9 },
      { arbitrary: fc.constant(false), weight: 1 },
    ),
    settings,
  })
  .map(({ documents, streams, settings: drawn }) => {
    const files = documents.map((document, at) => [`api${at}.json`, JSON.stringify(document)] as const);
    const set = { apis: files.map(([file]) => file), streaming: { enabled: streams }, ...drawn };
    return Object.fromEntries([...files, ["gateway.yaml", JSON.stringify(set)]]);
  });
