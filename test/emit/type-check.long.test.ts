import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { unsafeWithin } from "../../compiler/check/document/allow-unsafe.ts";
import { coreCatalogue, documentSchemas } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { entryOf } from "../corpus/entry.ts";
import { projectRoot } from "../harness/directories.ts";
import { emitDocument, emitValue } from "./emitted.ts";
import { allowing, fieldValue, hasOtherValue, type Manner } from "./every-field.ts";
import { checkTypes } from "./type-check.ts";

const nats = { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } };
const texts = new Map<string, string>();

/** Returns the input that is, or contains, a component of a role. */
function inputFor(role: ComponentRole, component: object): object | undefined {
  if (role === "scanner")
    return { http_client: { url: "http://127.0.0.1:1", stream: { enabled: true, scanner: component } } };
  return role === "input" ? component : undefined;
}

function document(role: ComponentRole, name: string, value: unknown, errorHandling?: unknown): object {
  const component = { [name]: value };
  const stream = {
    input: inputFor(role, component) ?? nats,
    ...(role === "buffer" && { buffer: component }),
    pipeline: { processors: role === "processor" ? [component] : uses[role] },
    output: role === "output" ? component : nats,
    ...(errorHandling === undefined ? {} : { error_handling: errorHandling }),
    cache_resources: [
      { label: "cache", ...(role === "cache" ? component : { memory: {} }) },
      // For caches that consist of caches.
      ...["near", "far"].map((label) => ({ label, memory: {} })),
    ],
    rate_limit_resources: [{ label: "rate_limit", ...(role === "rate_limit" ? component : { local: {} }) }],
  };
  return {
    openapi: "3.1.1",
    info: { title: "Everything", version: "1" },
    paths: {},
    "x-gw-streaming": { streams: { everything: stream } },
  };
}

/**
 * Fields that take effect at build time, or in a function around the component. `ack_replicas` cannot be disabled together
 * with idempotent writes, which are emitted.
 */
const spelledOut = new Set([
  ...["ack_replicas", "batching", "branch_resources", "copies", "from_file", "schema_path"],
  ...["extract_tracing_map", "inject_tracing_map", "new_root_span_with_link"],
]);

/** Steps that use a resource, so that it is emitted. */
const uses: Readonly<Record<ComponentRole, readonly object[]>> = {
  input: [],
  processor: [],
  output: [],
  scanner: [],
  buffer: [],
  cache: [{ cache: { resource: "cache", operator: "get", key: "a" } }],
  rate_limit: [{ rate_limit: { resource: "rate_limit" } }],
};

/** Returns the names of the fields that a document may set, including nested ones. */
function fieldNames(schema: Schema): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).filter(([, field]) => hasOtherValue(field));
  return [...own.flatMap(([name, field]) => [name, ...fieldNames(field)]), ...fieldNamesOfItems(schema)];
}

function fieldNamesOfItems({ items }: Schema): readonly string[] {
  return items === undefined ? [] : fieldNames(items);
}

for (const role of Object.keys(uses) as readonly ComponentRole[]) {
  for (const name of coreCatalogue
    .names(role)
    .filter((each) => coreCatalogue.find(role, each)?.name === each)) {
    for (const manner of ["literal", "environment"] as const satisfies readonly Manner[]) {
      const schema = coreCatalogue.find(role, name)?.schema;
      if (schema === undefined) throw new Error(`${role} ${name} has a schema`);
      test(`every field of the ${role} ${name} is emitted, ${manner}`, async () => {
        const api = document(role, name, fieldValue(schema, manner));
        const allowed = allowing(unsafeWithin(name, schema));
        const set = { apis: ["api.json"], streaming: { enabled: true }, ...allowed };
        const { gateway, types } = await emitValue(set, "gateway.yaml", { "api.json": api });
        const written = JSON.stringify(api);
        // A field that the switches of other fields exclude is not written.
        const missing = fieldNames(schema).filter(
          (field) =>
            written.includes(`"${field}"`) &&
            !spelledOut.has(field) &&
            !new RegExp(`\\b${field}: `).test(gateway),
        );
        assert.equal(missing, [], `${missing.join(" ")} in ${gateway}`);
        const folder = `test/emit/generated/${role}-${name}-${manner}`;
        texts.set(`${folder}/gateway.ts`, gateway).set(`${folder}/types.ts`, types);
      });
    }
  }
}

test("every field of an upstream is emitted", async () => {
  const { upstream } = documentSchemas.apiGateway.properties ?? {};
  const { rateLimit: _, ...properties } = upstream?.properties ?? {};
  for (const manner of ["literal", "environment"] as const) {
    const block = fieldValue({ ...upstream, properties }, manner, "upstream");
    const api = document("input", "nats", nats.nats);
    const { gateway, types } = await emitValue({ ...api, "x-gw-api-gateway": { upstream: block } });
    const missing = Object.keys(properties).filter((name) => !gateway.includes(`${name}: `));
    assert.equal(missing, [], gateway);
    const folder = `test/emit/generated/upstream-${manner}`;
    texts.set(`${folder}/gateway.ts`, gateway).set(`${folder}/types.ts`, types);
  }
});

test("validators are emitted together with the gateway that imports them", async () => {
  const path = join(projectRoot, "test/corpus/requests-as-described/api.yaml");
  const { gateway, types, validators } = await emitDocument(path);
  const folder = "test/emit/generated/validators";
  texts.set(`${folder}/gateway.ts`, gateway).set(`${folder}/types.ts`, types);
  texts.set(`${folder}/validators.ts`, validators ?? "");
  assert.match(gateway, "checkCreateBookingBody,");
  assert.is((await emitDocument(path)).validators, validators, "the same text each time");
});

test("every setting of a gateway.yaml is emitted", async () => {
  const { streaming, listen, admin, limits, error_handling } = documentSchemas.gateway.properties ?? {};
  const settings = { streaming, listen, admin, limits, error_handling };
  for (const manner of ["literal", "environment"] as const) {
    const values = Object.entries(settings).map(([name, schema]) => [
      name,
      name === "listen" ? `\${LISTEN:127.0.0.1:8080}` : fieldValue(schema ?? {}, manner, name),
    ]);
    const exporters = Object.entries(documentSchemas.gateway.properties?.analytics?.properties ?? {});
    const analytics = exporters.map(([name, schema]) => [
      name,
      { ...Object(fieldValue(schema, manner, name)), enabled: true },
    ]);
    const set = {
      ...Object.fromEntries(values),
      analytics: Object.fromEntries(analytics),
      apis: ["api.json"],
    };
    const { gateway } = await emitValue(set, "gateway.yaml", {
      "api.json": document("input", "nats", nats.nats),
    });
    for (const entry of ["streaming", "listen", "adminListen", "limits", "errorHandling", "analytics"]) {
      assert.match(gateway, new RegExp(`\\b${entry}: `), gateway);
    }
    const fields = exporters.flatMap(([, { properties = {} }]) => Object.keys(properties));
    const missing = fields.filter((field) => field !== "enabled" && !gateway.includes(` ${field}: `));
    assert.equal(missing, [], gateway);
    texts.set(`test/emit/generated/set-${manner}/gateway.ts`, gateway);
  }
});

test("every field of a portal and of its webhooks is emitted", async () => {
  const { portal = {}, webhooks = {} } = documentSchemas.gateway.properties ?? {};
  for (const manner of ["literal", "environment"] as const) {
    const blocks = {
      portal: { ...Object(fieldValue(portal, manner, "portal")), enabled: true, page: true },
      webhooks: fieldValue(webhooks, manner, "webhooks"),
    };
    const set = { streaming: { enabled: true }, store: "sqlite:./gateway.db", ...blocks, apis: ["api.json"] };
    const { gateway } = await emitValue(set, "gateway.yaml", {
      "api.json": document("input", "nats", nats.nats),
    });
    const fields = [portal, webhooks].flatMap(({ properties = {} }) => Object.keys(properties));
    const missing = fields.filter((field) => field !== "enabled" && !gateway.includes(` ${field}: `));
    assert.equal(missing, [], gateway);
    texts.set(`test/emit/generated/portal-${manner}/gateway.ts`, gateway);
  }
});

/** Documents that together use most of the language, and those whose gateways TypeScript has refused before. */
const corpus = [
  "compositions",
  "formats-in-and-out",
  "logistics-set",
  "names-of-all-kinds",
  "profiles-with-gaps",
  "rules-in-files",
  "statements-with-branches",
  "texts-in-every-field",
  "unknown-values",
].map((name) => {
  const folder = `test/corpus/${name}`;
  return join(folder, entryOf(readdirSync(join(projectRoot, folder))));
});

const samples = [
  ...globSync(["test/run/*/stream.yaml", "test/emit/types/*/api.yaml"], { cwd: projectRoot }),
  ...corpus,
];

/** Returns the folder of the texts of a sample in the program. */
function folderOf(sample: string): string {
  return `test/emit/generated/${dirname(sample).replaceAll(/[/\\]/g, "-")}`;
}

for (const path of samples) {
  test(`${path} is emitted`, async () => {
    const emitted = await emitDocument(join(projectRoot, path));
    const folder = folderOf(path);
    texts.set(`${folder}/gateway.ts`, emitted.gateway).set(`${folder}/types.ts`, emitted.types);
    if (emitted.validators !== undefined) texts.set(`${folder}/validators.ts`, emitted.validators);
  });
}

test("every emitted program type-checks strictly, and its mappings have the types of their messages", () => {
  for (const path of globSync("test/emit/gateway/*/*.ts", { cwd: projectRoot })) {
    texts.set(path, readFileSync(join(projectRoot, path), "utf8"));
  }
  assert.ok(texts.size > 50);
  const { errors, mappings } = checkTypes(texts);
  assert.equal(errors, []);
  assert.equal(mappings(`${folderOf("test/emit/types/every-step-of-a-stream/api.yaml")}/gateway.ts`), [
    "newOrdersMapping(Order): NewOrdersTotal",
    "newOrdersBranchRequestMap(NewOrdersTotal): unknown",
    "newOrdersProcessorsMapping(unknown): NewOrdersMapping",
    "newOrdersBranchResultMap(NewOrdersTotal): NewOrdersBranch",
    "newOrdersProcessorsMapping2(unknown): NewOrdersMapping2",
    "newOrdersProcessorsMapping3(unknown): NewOrdersMapping3",
    "newOrdersMapping2(NewOrdersSwitch): (string | number)[]",
  ]);
});

test("control: a mapping whose step has no type or a wrong one fails the type check", () => {
  const text = (name: string) => `import { mapping } from "sluice/runtime/processors/mapping.ts";
import type { Batch, Message } from "sluice/runtime/message/message.ts";
import type { Messages } from "./types.ts";

function intake(batch: Batch<Messages["input"]>, index: number): Message<Messages["${name}"]> | undefined {
  return batch[index];
}

export default mapping(intake);
`;
  const types = "export interface Messages { input: { id: string }; output: { id: number } }\n";
  const errorsOf = (name: string) => {
    const folder = "test/emit/generated/typed";
    const files = [[`${folder}/gateway.ts`, text(name)] as const, [`${folder}/types.ts`, types] as const];
    return checkTypes(new Map(files)).errors.join("\n");
  };
  assert.is(errorsOf("input"), "");
  assert.match(errorsOf("output"), "is not assignable to type 'Message<{ id: number; }>");
  assert.match(errorsOf("processors[0].mapping"), "Property 'processors[0].mapping' does not exist");
});

test("control: a wrong program fails the type check", () => {
  const text = (topic: string) => `import { defineGateway } from "sluice/runtime/gateway.ts";
import { kafkaOutput } from "sluice/runtime/connectors/kafka/output.ts";
import { json } from "sluice/runtime/mapping/messages.ts";

export default defineGateway({ streaming: kafkaOutput({ addresses: [], topic: ${topic} }), apis: [] });
`;
  const errors = checkTypes(new Map([["test/emit/generated/wrong/gateway.ts", text("7")]])).errors;
  assert.ok(errors.some((error) => error.includes("'json' is declared but its value is never read")));
  assert.ok(errors.some((error) => error.includes("Type 'number' is not assignable to type 'Text'")));
});

test.run();
