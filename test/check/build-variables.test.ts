// Fields that decide what is built read the environment of the build, wherever they stand: what is then checked and planned is
// what a document with the values written out would give.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, planDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { fieldValue } from "../emit/every-field.ts";

const nats = { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } };

/** The value with a variable in place of each scalar that is fixed; `environment` gets what it stands for. */
function varied(value: unknown, schema: Schema, environment: Record<string, string>): unknown {
  const own = schema["x-fixed"] === true;
  if (Array.isArray(value)) {
    const items = { ...(own && { "x-fixed": true }), ...schema.items };
    return value.map((each) => varied(each, items, environment));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([name, each]) => {
      const field = schema.properties?.[name] ?? Object(schema.additionalProperties);
      return [name, varied(each, field, environment)];
    });
    return Object.fromEntries(entries);
  }
  if (!own || value === null) return value;
  const name = `FIXED_${Object.keys(environment).length}`;
  environment[name] = String(value);
  return `\${${name}}`;
}

function streamWith(role: ComponentRole, name: string, value: unknown): object {
  const component = { [name]: value };
  return {
    input: role === "input" ? component : nats,
    pipeline: { processors: role === "processor" ? [component] : [] },
    output: role === "output" ? component : nats,
    cache_resources: [{ label: "cache", ...(role === "cache" ? component : { memory: {} }) }],
    rate_limit_resources: [{ label: "rate_limit", ...(role === "rate_limit" ? component : { local: {} }) }],
  };
}

async function messages(stream: object, environment: Record<string, string> = {}): Promise<string[]> {
  const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
  const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem, environment });
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

let count = 0;
for (const role of ["input", "processor", "output", "cache", "rate_limit"] as const) {
  for (const name of coreCatalogue.names(role)) {
    const component = coreCatalogue.find(role, name);
    if (component === undefined || component.name !== name) continue;
    const value = fieldValue(component.schema, "literal");
    const environment: Record<string, string> = {};
    const asked = varied(value, component.schema, environment);
    if (Object.keys(environment).length === 0) continue;
    count += 1;
    test(`the ${role} ${name} accepts variables in fields that are fixed at build time`, async () => {
      const written = await messages(streamWith(role, name, value));
      assert.equal(await messages(streamWith(role, name, asked), environment), written);
    });
  }
}
assert.ok(count > 10);

const threads = (written: unknown) => ({ input: nats, pipeline: { threads: written }, output: { drop: {} } });

async function plannedThreads(written: unknown, environment: Record<string, string> = {}) {
  const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(threads(written)) });
  const { plan, diagnostics } = await planDocuments(["stream.json"], { fileSystem, environment });
  return plan?.apis[0]?.streams[0]?.threads ?? diagnostics.map(({ code }) => code);
}

test("a default applies where the variable is empty or unset, as at gateway start", async () => {
  assert.is(await plannedThreads(`\${THREADS:3}`), 3);
  assert.is(await plannedThreads(`\${THREADS:3}`, { THREADS: "" }), 3);
  assert.is(await plannedThreads(`\${THREADS:3}`, { THREADS: "4" }), 4);
});

test("unset variables, invalid values and values known only later are rejected", async () => {
  assert.equal(await plannedThreads(`\${THREADS}`), ["GW4026"]);
  assert.equal(await plannedThreads(`\${__proto__}`), ["GW4026"]);
  assert.equal(await plannedThreads(`\${THREADS}`, { THREADS: "many" }), ["GW4012"]);
  assert.equal(await plannedThreads(`\${THREADS}`, { THREADS: "-2" }), ["GW4014"]);
  assert.equal(await plannedThreads(`\${file:/run/threads}`), ["GW4026"]);
  assert.equal(await plannedThreads("$gw_context.headers_Threads"), ["GW4026", "GW4383"]);
});

test("untrusted documents never read the environment of the build", async () => {
  const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(threads(`\${THREADS:3}`)) });
  const options = { fileSystem, environment: { THREADS: "4" }, allowFileReferences: false };
  const { diagnostics } = await checkDocuments(["stream.json"], options);
  assert.equal(
    diagnostics.map(({ code }) => code),
    ["GW4026"],
  );
});

test("a listen path may come from a variable", async () => {
  const api = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    paths: {},
    "x-gw-api-gateway": { server: { listenPath: { value: `/\${BASE}/` } } },
    "x-gw-streaming": { streams: { orders: { input: nats, output: nats } } },
  };
  const fileSystem = createMemoryFileSystem({ "api.json": JSON.stringify(api) });
  const { plan } = await planDocuments(["api.json"], { fileSystem, environment: { BASE: "orders" } });
  assert.is(plan?.apis[0]?.listenPath, "/orders/");
});

test.run();
