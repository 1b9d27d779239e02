import { test } from "uvu";
import * as assert from "uvu/assert";
import { findNode } from "../../../compiler/trees/document.ts";
import { minimal, openapi, read } from "./reading.ts";

const bare = "input:\n  http_server: { path: /new }\noutput:\n  nats: { urls: [a:1], subject: b }\n";

test("the id of an API is that of its gateway extension, or else its file name", async () => {
  const named = `${minimal}x-gw-api-gateway: { info: { id: o-1, name: Orders } }\n`;
  const { apis } = await read({ "apis/a.yaml": minimal, "apis/b.yaml": named }, [
    "apis/a.yaml",
    "apis/b.yaml",
  ]);
  assert.equal(
    apis.map((api) => api.id),
    ["a", "o-1"],
  );
});

test("a bare stream is one stream named `stream`", async () => {
  const { apis } = await read({ "chat.yaml": bare });
  assert.equal(
    apis.map((api) => [api.id, api.openapi, api.streams.map((stream) => stream.name)]),
    [["chat", undefined, ["stream"]]],
  );
  assert.is(apis[0]?.streams[0]?.input?.name, "http_server");
  assert.is(apis[0]?.streams[0]?.output?.name, "nats");
});

test("an API without streams is accepted for proxying", async () => {
  const text = openapi("paths: {}\nx-gw-api-gateway: { info: { name: Orders } }\n");
  const { apis, problems } = await read({ "a.yaml": text });
  assert.equal(problems, []);
  assert.equal(apis[0]?.streams, []);
  assert.ok(apis[0]?.gateway);
});

test("a document that serves nothing is reported, as is one with a misspelt extension", async () => {
  assert.match((await read({ "a.yaml": openapi("paths: {}\n") })).problems[0] ?? "", /^a\.yaml:1:1-8 GW1049/);
  const misspelt = openapi("paths: {}\nx-gw-streming: { streams: {} }\n");
  assert.equal((await read({ "a.yaml": misspelt })).problems, [
    "a.yaml:4:1-14 GW1049 The document defines nothing that a gateway can serve. | Did you mean `x-gw-streaming` instead of `x-gw-streming`?",
  ]);
});

test("vendor spellings are accepted with a note, and both spellings together are an error", async () => {
  const alias = openapi("paths: {}\nx-tyk-streaming: { streams: { a: {} } }\n");
  const { apis, problems } = await read({ "a.yaml": alias });
  assert.equal(problems, [
    "a.yaml:4:1-16 GW1047 `x-tyk-streaming` is an older spelling of `x-gw-streaming`. | Rename it to `x-gw-streaming`.",
  ]);
  assert.ok(findNode(apis[0]?.streaming, "streams", "a"));
  const both = await read({ "a.yaml": `${alias}x-gw-streaming: { streams: {} }\n` });
  assert.match(
    both.problems[0] ?? "",
    /^a\.yaml:5:1-15 GW1048 .*\(a\.yaml:4:1-16 The other spelling is here.\)$/,
  );
});

test("documents that are not OpenAPI are reported", async () => {
  const at = async (text: string) => (await read({ "a.yaml": text })).problems;
  assert.equal(await at("name: x\n"), [
    'a.yaml:1:1-5 GW1040 This is not an OpenAPI document: `openapi` is missing. | Add `openapi: "3.1.1"` at the top, or write a stream with `input` and `output`.',
  ]);
  assert.match((await at("info: {}\nopenapy: 3.1.1\n"))[0] ?? "", /^a\.yaml:2:1-8 GW1040 .*`openapi`/);
  assert.match((await at("swagger: '2.0'\n"))[0] ?? "", /^a\.yaml:1:1-8 GW1041 Swagger 2\.0/);
  assert.match((await at("openapi: 3.1\n"))[0] ?? "", /^a\.yaml:1:10-13 GW1042 .*must be a string/);
  assert.match((await at("openapi: 3.3.0\n"))[0] ?? "", /^a\.yaml:1:10-15 GW1042 .*not supported/);
  assert.match((await at("- a\n"))[0] ?? "", /^a\.yaml:1:1-4 GW1054 .*not an array/);
  assert.match((await at("just text\n"))[0] ?? "", /GW1054 .*not a string/);
});

const set = {
  "gateway.yaml":
    "streaming: { enabled: true }\napis:\n  - apis/**/*.yaml\n  - bare/chat.yaml\n  - apis/b.yaml\n",
  "apis/b.yaml": minimal,
  "apis/a.yaml": minimal,
  "apis/more/c.yaml": minimal,
  "apis/more/note.txt": "no",
  "apis/.hidden/d.yaml": minimal,
  "apis/node_modules/e.yaml": minimal,
  "bare/chat.yaml": bare,
};

test("a set lists documents in order, matches of patterns alphabetically, each once", async () => {
  const { set: read_, apis, problems } = await read(set);
  assert.equal(problems, []);
  assert.equal(
    apis.map((api) => api.file.path),
    ["apis/a.yaml", "apis/b.yaml", "apis/more/c.yaml", "bare/chat.yaml"],
  );
  assert.is(read_?.settingsFile?.path, "gateway.yaml");
  assert.ok(read_?.settings);
  assert.is(read_?.settingsFields?.kind, "Object");
});

test("entries are relative to the folder of the set", async () => {
  const files = {
    "deploy/gateway.yaml": "apis: [../apis/a.yaml, './x?.yaml']\n",
    "apis/a.yaml": minimal,
    "deploy/x1.yaml": minimal,
  };
  const { apis, problems } = await read(files);
  assert.equal(problems, []);
  assert.equal(
    apis.map((api) => api.file.path),
    ["apis/a.yaml", "deploy/x1.yaml"],
  );
});

test("a pattern of a set skips the set itself and unit tests of other matches", async () => {
  const files = {
    "gateway.yaml": "apis: ['*.yaml']\n",
    "load_test.yaml": minimal,
    "orders.yaml": minimal,
    "orders_test.yaml": "tests: []\n",
    "orders_bento_test.yaml": "tests: []\n",
  };
  const { apis, problems } = await read(files);
  assert.equal(problems, []);
  assert.equal(
    apis.map((api) => api.file.path),
    ["load_test.yaml", "orders.yaml"],
  );
});

test("mistakes in a set are reported at its entries", async () => {
  const files = {
    "gateway.yaml": "apis:\n  - a.yaml\n  - b/*.yaml\n  - 'gateway.yaml'\n",
    "b/a.json": minimal,
  };
  const { problems } = await read(files);
  assert.equal(
    problems.map((problem) => problem.split(" ").slice(0, 2).join(" ")),
    ["gateway.yaml:2:5-11 GW1001", "gateway.yaml:3:5-13 GW1008", "gateway.yaml:4:6-18 GW1053"],
  );
});

test("documents on the command line are a set without settings, and may be patterns", async () => {
  const files = { "a.yaml": minimal, "b.yaml": minimal };
  const { set: direct, apis } = await read(files, ["b.yaml", "./a.yaml", "*.yaml"]);
  assert.is(direct?.settings, undefined);
  assert.equal(
    apis.map((api) => api.id),
    ["b", "a"],
  );
  assert.match((await read(files, ["c*.yaml"])).problems[0] ?? "", /^c\*\.yaml:1:1-1 GW1008/);
});

test("a set given together with documents is reported", async () => {
  const files = { "a.yaml": minimal, "gateway.yaml": "apis: [a.yaml]\n" };
  assert.match(
    (await read(files, ["a.yaml", "gateway.yaml"])).problems[0] ?? "",
    /^gateway\.yaml:1:1-1 GW1053/,
  );
});

test("two APIs with the same id are reported", async () => {
  const files = {
    "eu/orders.yaml": minimal,
    "us/orders.yaml": `${minimal}x-gw-api-gateway: { info: { id: orders, name: Orders } }\n`,
  };
  assert.equal((await read(files, Object.keys(files))).problems, [
    "us/orders.yaml:5:33-39 GW1052 Duplicate API id `orders` in the set. | Change `x-gw-api-gateway.info.id` or the file name of one of them. (eu/orders.yaml:1:1-1 The other one is here.)",
  ]);
});

test("a document referenced twice is parsed once", async () => {
  const files = {
    "a.yaml": `${minimal}components: { schemas: { A: { $ref: s.yaml } } }\n`,
    "b.yaml": `${minimal}components: { schemas: { A: { $ref: s.yaml } } }\n`,
    "s.yaml": "a: 1\na: 2\n",
  };
  const { problems } = await read(files, ["a.yaml", "b.yaml"]);
  assert.is(problems.length, 1);
});

test.run();
