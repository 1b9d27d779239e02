import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileApi, compileProcess, compileUnits, readPresent } from "../../compiler/compile-units.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { apiOf } from "../harness/api-documents.ts";
import type { Files } from "./documents.ts";

const intake = (path = "/new", mapping = "root = this") => `intake:
  input: { http_server: { path: ${path} } }
  pipeline: { processors: [{ mapping: '${mapping}' }] }
  output: { kafka: { addresses: ["127.0.0.1:9092"], topic: orders } }
`;
const chat = `talk:
  input: { websocket_server: { path: /talk } }
  output: { websocket_server: { path: /talk } }
`;
const settings = "streaming: { enabled: true }\nlisten: 127.0.0.1:9000\n";
const set: Files = {
  "gateway.yaml": `${settings}apis: [orders.yaml, chat.yaml]\n`,
  "orders.yaml": apiOf(intake()),
  "chat.yaml": apiOf(chat, { id: "chat" }),
};

const fileSystem = (files: Files) => createMemoryFileSystem(files);
const codes = ({ diagnostics }: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  diagnostics.map(({ code }) => code);

/** Compiles `orders.yaml` of these files, with the others of the set present. */
async function compileOrders(files: Files, present: readonly string[] = ["chat.yaml"]) {
  const options = { fileSystem: fileSystem(files) };
  return compileApi("orders.yaml", {
    ...options,
    settings: "gateway.yaml",
    present: await readPresent(present, options),
  });
}

test("a set compiles to a module per API and one for the process", async () => {
  const { apis = [], process } = await compileUnits(["gateway.yaml"], { fileSystem: fileSystem(set) });
  assert.equal(
    apis.map(({ id, name, listenPath, streams }) => [id, name, listenPath, Object.keys(streams)]),
    [
      ["orders", "orders", "/orders/", ["intake"]],
      ["chat", "chat", "/chat/", ["talk"]],
    ],
  );
  const [orders, talk] = apis;
  assert.ok(orders?.imports.includes("runtime/connectors/kafka/output.ts"));
  assert.not(talk?.imports.includes("runtime/connectors/kafka/output.ts"));
  assert.match(process?.code ?? "", 'listen: "127.0.0.1:9000"');
  assert.match(process?.code ?? "", "apis: []");
});

test("a module lists exactly what it requires, and contains nothing of the runtime", async () => {
  const { apis = [] } = await compileUnits(["gateway.yaml"], { fileSystem: fileSystem(set) });
  for (const { code, imports } of apis) {
    const required = [...code.matchAll(/require\("sluice\/([^"]+)"\)/g)].map(([, path]) => path);
    assert.equal([...new Set(required)].sort(), imports);
    assert.ok(code.length < 5_000, `${code.length} bytes`);
  }
});

test("a document compiled alone yields the same module as in its set, byte for byte", async () => {
  const { apis = [] } = await compileUnits(["gateway.yaml"], { fileSystem: fileSystem(set) });
  const { unit } = await compileOrders(set);
  assert.equal(
    unit,
    apis.find(({ id }) => id === "orders"),
  );
});

test("the process module has what future APIs may need, whichever are present", async () => {
  const process = async (files: Files, present: readonly string[]) => {
    const options = { fileSystem: fileSystem(files) };
    return compileProcess({
      ...options,
      settings: "gateway.yaml",
      present: await readPresent(present, options),
    });
  };
  const [none, all] = [await process(set, []), await process(set, ["orders.yaml", "chat.yaml"])];
  assert.equal(none.unit, all.unit);
  assert.ok(none.unit?.imports.includes("runtime/limits/gateway-counters.ts"));
  assert.ok(none.unit?.imports.includes("runtime/analytics/access-log.ts"));
});

test("an error is reported with its code, and nothing is compiled", async () => {
  const { unit, diagnostics } = await compileOrders({
    ...set,
    "orders.yaml": apiOf(intake("/new", "root = this.")),
  });
  assert.is(unit, undefined);
  assert.ok(diagnostics.length > 0);
  assert.ok(diagnostics.every(({ span }) => span.source.file.path === "orders.yaml"));
});

test("errors of other documents are not reported", async () => {
  const result = await compileOrders({
    ...set,
    "chat.yaml": apiOf("talk: { input: { kafak: {} } }", { id: "chat" }),
  });
  assert.equal(codes(result), []);
  assert.ok(result.unit);
});

test("a duplicate id or listen path is reported for the compiled document", async () => {
  const twice = await compileOrders({ ...set, "chat.yaml": apiOf(chat, { listenPath: "/chat/" }) });
  assert.equal(codes(twice), ["GW1052"]);
  const clash = await compileOrders({ ...set, "orders.yaml": apiOf(intake(), { listenPath: "/chat/" }) });
  assert.equal(codes(clash), ["GW4038"]);
  assert.equal(clash.diagnostics[0]?.span.source.file.path, "orders.yaml");
});

test("an error that the compiled document causes in another one is reported there", async () => {
  const wide = apiOf("talk:\n  input: { http_server: { path: /new/talk } }\n  output: { drop: {} }\n", {
    id: "chat",
    listenPath: "/",
  });
  const result = await compileOrders({
    ...set,
    "chat.yaml": wide,
    "orders.yaml": apiOf(intake("/in"), { listenPath: "/new/" }),
  });
  assert.equal(codes(result), ["GW4050"]);
  assert.is(result.diagnostics[0]?.span.source.file.path, "chat.yaml");
});

test("channels between documents resolve if both are present", async () => {
  const writing = apiOf("out:\n  input: { http_server: { path: /a } }\n  output: { inproc: across }\n");
  const reading = apiOf("in:\n  input: { inproc: across }\n  output: { drop: {} }\n", { id: "chat" });
  const files = { ...set, "orders.yaml": writing, "chat.yaml": reading };
  assert.equal(codes(await compileOrders(files)), []);
  assert.equal(codes(await compileOrders(files, [])), ["GW4123"]);
});

test("versions that name other documents are resolved if those are present", async () => {
  const versioned = (set["orders.yaml"] ?? "").replace(
    "state: { active: true } }",
    `state: { active: true }, versioning: { enabled: true, name: v1, default: v1, location: header, key: X-Version, versions: [{ name: v2, id: chat }] } }`,
  );
  const files = { ...set, "orders.yaml": versioned };
  const { unit, ...result } = await compileOrders(files);
  assert.equal(codes(result), []);
  const { apis = [] } = await compileUnits(["gateway.yaml"], { fileSystem: fileSystem(files) });
  assert.equal(
    unit,
    apis.find(({ id }) => id === "orders"),
  );
  assert.match(unit?.code ?? "", 'id: "chat"');
  assert.ok(codes(await compileOrders(files, [])).length > 0, "they have to be there");
});

test("errors in the settings stop every module", async () => {
  const result = await compileOrders({ ...set, "gateway.yaml": "streaming: { enabled: maybe }\n" });
  assert.is(result.unit, undefined);
  assert.is(result.diagnostics[0]?.span.source.file.path, "gateway.yaml");
});

test("a disabled API has no module", async () => {
  const off = (set["orders.yaml"] ?? "").replace("active: true", "active: false");
  const { unit, counts } = await compileOrders({ ...set, "orders.yaml": off });
  assert.is(unit, undefined);
  assert.is(counts.error, 0);
});

test("request validation bundles its schemas", async () => {
  const { unit } = await compileOrders({
    ...set,
    "orders.yaml": apiOf(intake())
      .replace(
        "paths: {}",
        "paths:\n  /new:\n    post:\n      operationId: add\n      requestBody: { content: { application/json: { schema: { type: object, required: [sku] } } } }\n      responses: { '200': { description: ok } }",
      )
      .replace(
        "x-gw-streaming:",
        "  middleware: { operations: { add: { validateRequest: { enabled: true } } } }\nx-gw-streaming:",
      ),
  });
  assert.match(unit?.code ?? "", "must have required property");
});

test.run();
