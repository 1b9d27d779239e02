import { test } from "uvu";
import * as assert from "uvu/assert";
import { emitValue } from "./emitted.ts";

test("inputs without broker-side distribution get a lease; names of shared subscriptions may be variables", async () => {
  const topics = {
    alone: "orders",
    open: "${TOPIC}",
    partly: "$share/readers/new,old",
    written: "$share/readers/new",
    named: "$share/readers/${TOPIC}",
    grouped: "$share/${GROUP}/new",
  };
  const streams = Object.entries(topics).map(([name, topic]) => [
    name,
    { input: { mqtt: { urls: ["tcp://a:1883"], topics: [topic] } }, output: { drop: {} } },
  ]);
  const document = {
    openapi: "3.1.0",
    info: { title: "Readers", version: "1" },
    paths: {},
    "x-gw-streaming": { streams: Object.fromEntries(streams) },
  };
  const set = {
    apis: ["api.yaml"],
    streaming: { enabled: true },
    leases: { redis: "redis://localhost:6379" },
  };
  const { gateway } = await emitValue(set, "gateway.yaml", { "api.yaml": document });
  const leased = [...gateway.matchAll(/leasedInput\([^)]*?(\w+)["`],/g)].map(([, name]) => name);
  assert.equal(leased, ["alone", "open", "partly"]);
});

test("mappings of an input that read_until creates again have new counters; others keep theirs", async () => {
  const input = (mapping: string) => ({ generate: { interval: "", mapping } });
  const streams = {
    again: {
      input: { read_until: { input: input("root.n = counter()"), check: "this.n > 9", restart_input: true } },
      pipeline: { processors: [{ mutation: "root.m = counter()" }] },
      output: { drop: {} },
    },
    plain: {
      input: { read_until: { input: input("root.n = 1"), check: "this.n > 9", restart_input: true } },
      output: { drop: {} },
    },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "Counters", version: "1" },
    paths: {},
    "x-gw-streaming": { streams },
  };
  const set = { apis: ["api.yaml"], streaming: { enabled: true } };
  const { gateway } = await emitValue(set, "gateway.yaml", { "api.yaml": document });
  assert.match(
    gateway,
    /input: \(\) => \{\n.*\n\s+const againGenerateMappingCounterState = createCounter\(\);/,
  );
  assert.match(gateway, /^const againMutationCounterState = createCounter\(\);/m);
  assert.match(gateway, /^function plainGenerateMapping\(/m);
});

test("equal mappings keep their own counters, modes, and folders of their documents", async () => {
  const streamOf = (processor: object) => ({
    input: { generate: { mapping: "root = {}" } },
    pipeline: { processors: [processor] },
    output: { drop: {} },
  });
  const text = 'root.text = file_rel("./terms.txt").string()';
  const documentOf = (title: string, streams: object) => ({
    openapi: "3.1.0",
    info: { title, version: "1" },
    paths: {},
    "x-gw-api-gateway": { server: { listenPath: { value: `/${title}/` } } },
    "x-gw-streaming": { streams },
  });
  const one = {
    mapped: streamOf({ mapping: text }),
    mutated: streamOf({ mutation: text }),
    first: streamOf({ mapping: "root.n = counter()" }),
    second: streamOf({ mapping: "root.n = counter()" }),
  };
  const { gateway } = await emitValue(
    { apis: ["one/first.yaml", "two/other.yaml"], streaming: { enabled: true }, allow_unsafe: ["file_rel"] },
    "gateway.yaml",
    {
      "one/first.yaml": documentOf("one", one),
      "two/other.yaml": documentOf("two", { other: streamOf({ mapping: text }) }),
    },
  );
  const bodyOf = (name: string) => gateway.split(`function ${name}(`)[1]?.split("\n}\n")[0] ?? "";
  assert.match(bodyOf("mappedMapping"), '"one", "./terms.txt"');
  assert.match(bodyOf("otherMapping"), '"two", "./terms.txt"');
  assert.match(bodyOf("mutatedMutation"), "run.initialRoot");
  assert.match(bodyOf("firstMapping"), "firstMappingCounterState");
  assert.match(bodyOf("secondMapping"), "secondMappingCounterState");
});

test.run();
