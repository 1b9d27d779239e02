import { test } from "uvu";
import * as assert from "uvu/assert";
import type { StreamDigests } from "../../compiler/plan/digests.ts";
import { apiOf } from "../harness/api-documents.ts";
import { digestsOf, type Files } from "./documents.ts";

const stream = `intake:
  input:
    http_server: { path: /new, allowed_verbs: [POST] }
  pipeline:
    processors:
      - mapping: |
          let factor = 2
          root = this
          root.total = this.quantity * $factor
      - cache: { resource: seen, operator: set, key: '\${! json("id") }', value: x }
  output:
    broker:
      outputs:
        - http_server: { stream_path: /events }
        - kafka: { addresses: ["\${KAFKA:localhost:9092}"], topic: orders }
  cache_resources:
    - label: seen
      memory: { default_ttl: 5m }
`;
const base: Files = { "api.yaml": apiOf(stream) };

/** Which digests of `orders/intake` differ. */
async function changed(files: Files, before: Files = base): Promise<readonly string[]> {
  const [first, second] = await Promise.all([digestsOf(before), digestsOf(files)]);
  const [a, b] = [first.get("orders/intake"), second.get("orders/intake")];
  assert.ok(a !== undefined && b !== undefined);
  const names = Object.keys(a) as (keyof StreamDigests)[];
  return names.filter((name) => a[name] !== b[name]);
}

const replaced = (from: string, to: string): Files => {
  assert.ok(stream.includes(from), from);
  return { "api.yaml": apiOf(stream.replace(from, to)) };
};

const unchanged: Readonly<Record<string, Files>> = {
  "the same text": base,
  "lines above": { "api.yaml": `# a comment\n\n${base["api.yaml"]}` },
  "a comment inside": replaced("  pipeline:\n", "  # what it does\n\n  pipeline:\n"),
  "another way to write a value": replaced(
    "{ path: /new, allowed_verbs: [POST] }",
    "{ allowed_verbs: ['POST'], \"path\": /new }",
  ),
  "a default that was written": replaced("path: /new,", "path: /new, timeout: 5s,"),
  "a label": replaced("    http_server: { path", "    label: Orders from shops\n    http_server: { path"),
  "a description": { "api.yaml": apiOf(stream).replace("title: orders", "title: Orders of all shops") },
  "another stream beside it": {
    "api.yaml": apiOf(`first:\n  input: { http_server: { path: /a } }\n  output: { drop: {} }\n${stream}`),
  },
  "a blank before an operator": replaced("this.quantity * $factor", "this.quantity   *   $factor"),
};

for (const [name, files] of Object.entries(unchanged))
  test(`${name}: no digest differs`, async () => assert.equal(await changed(files), []));

const changing: Readonly<Record<string, readonly [files: Files, digests: readonly string[]]>> = {
  "the path of the input": [replaced("path: /new", "path: /newer"), ["input"]],
  "a verb of the input": [replaced("[POST]", "[POST, PUT]"), ["input"]],
  "a number in a mapping": [replaced("factor = 2", "factor = 3"), ["pipeline"]],
  "a line in a mapping, which failures name": [
    replaced("          let", "          # two\n          let"),
    ["pipeline"],
  ],
  "the order of processors": [
    replaced("    processors:\n", "    processors:\n      - noop: {}\n"),
    ["pipeline"],
  ],
  "a bound on batches": [replaced("  pipeline:\n", "  pipeline:\n    threads: 2\n"), ["pipeline"]],
  "what becomes of failures": [
    replaced("  output:\n", "  error_handling: { strategy: none }\n  output:\n"),
    ["pipeline"],
  ],
  "the topic of the output": [replaced("topic: orders", "topic: other"), ["output"]],
  "the default of a variable": [replaced("KAFKA:localhost:9092", "KAFKA:kafka:9092"), ["output"]],
  "an endpoint of clients": [replaced("/events", "/feed"), ["output", "shape"]],
  "how clients get messages": [
    replaced("stream_path: /events", "stream_path: /events, stream_format: raw_bytes"),
    ["output", "shape"],
  ],
  "what clients do not see": [
    replaced("stream_path: /events", "stream_path: /events, heartbeat: 3s"),
    ["output"],
  ],
  "what components share": [replaced("default_ttl: 5m", "default_ttl: 6m"), ["resources"]],
  "the listen path": [{ "api.yaml": apiOf(stream, { listenPath: "/other/" }) }, ["shape"]],
};

for (const [name, [files, digests]] of Object.entries(changing))
  test(`${name}: ${digests.join(" and ")}`, async () => assert.equal(await changed(files), digests));

test("settings of a set affect a stream that uses them", async () => {
  const gateway = (more: string) => `streaming: { enabled: true }\napis: [api.yaml]\n${more}`;
  const before = { ...base, "gateway.yaml": gateway("") };
  const handled = { ...base, "gateway.yaml": gateway("error_handling: { strategy: none }\n") };
  assert.equal(await changed(handled, before), ["pipeline"]);
  const listening = { ...base, "gateway.yaml": gateway("listen: 0.0.0.0:9000\n") };
  assert.equal(await changed(listening, before), []);
});

test("imported mappings affect digests by their content, and by their folder if they read files", async () => {
  const importing = (path: string) =>
    replaced("let factor = 2", `import "${path}"\n          let factor = this.apply("two")`);
  const map = (body: string) => `map two { root = ${body} }\n`;
  const before = { ...importing("./maps/a.blobl"), "maps/a.blobl": map("2") };
  const same = { ...importing("./maps/a.blobl"), "maps/a.blobl": `# two\n\n${map("2")}` };
  assert.equal(await changed(same, before), []);
  assert.equal(await changed({ ...before, "maps/a.blobl": map("3") }, before), ["pipeline"]);
  const moved = { ...importing("./other/a.blobl"), "other/a.blobl": map("2") };
  assert.equal(await changed(moved, before), []);
});

test("labels and positions affect digests if mappings ask which processor failed", async () => {
  const asking = stream.replace(
    "      - cache",
    "      - noop: {}\n      - catch: [{ mapping: 'root = error_source_label()' }]\n      - cache",
  );
  const before = { "api.yaml": apiOf(asking) };
  const labelled = { "api.yaml": apiOf(asking.replace("- noop: {}", "- label: nothing\n        noop: {}")) };
  assert.ok((await changed(labelled, before)).includes("pipeline"));
  assert.equal(await changed({ "api.yaml": `# above\n${before["api.yaml"]}` }, before), []);
});

test("request variables affect every digest, since each set of values has its own instance", async () => {
  const files = replaced("topic: orders", "topic: orders-$gw_context.headers_X_Tenant");
  assert.equal(await changed(files), ["input", "pipeline", "output", "shape"]);
});

test.run();
