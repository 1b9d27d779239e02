// No setting of a gateway is ignored in silence: what it does not take has a diagnostic at its place.

import { Ajv2020 } from "ajv/dist/2020.js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments, planDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { documentSchemas } from "../../schemas/catalogue.ts";
import { editorSchema, valuesOfNothing } from "../../schemas/editor-schema.ts";
import type { Schema } from "../../schemas/schema.ts";
import { describeSettings, innerSchemas } from "../../scripts/generate-settings.ts";
import { fieldValue } from "../emit/every-field.ts";

const api = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  paths: {},
  "x-gw-streaming": {
    streams: {
      orders: {
        input: { http_server: { path: "/new" } },
        output: { nats: { urls: ["nats://h"], subject: "a" } },
      },
    },
  },
};

/** The files of a gateway with a value at a place of that schema. */
const placed = {
  apiGateway: (value: object) => ({ "api.yaml": { ...api, "x-gw-api-gateway": value } }),
  gateway: (value: object) => ({
    "api.yaml": api,
    "gateway.yaml": { streaming: { enabled: true }, apis: ["api.yaml"], ...value },
  }),
};

/** `value` below these keys; an item stands in a list, and what any name may have under one. */
function below(path: readonly string[], value: unknown): object {
  const whole = path.reduceRight<unknown>((inner, key) => {
    return key === "[]" ? [inner] : { [placeholder(key)]: inner };
  }, value);
  return Object(whole);
}

/** The segment of a path in a document: `*` stands for any name, and `[]` for the first item of a list. */
function placeholder(key: string): string {
  return key === "*" ? "some-name" : key === "[]" ? "0" : key;
}

async function codesAt(root: keyof typeof placed, path: readonly string[], value: unknown, name: string) {
  const files = Object.entries(placed[root](below(path, value)));
  const texts = Object.fromEntries(files.map(([file, text]) => [file, JSON.stringify(text, undefined, 1)]));
  const { diagnostics } = await planDocuments([files.at(-1)?.[0] ?? ""], {
    fileSystem: createMemoryFileSystem(texts),
  });
  return diagnostics.filter(({ message }) => message.includes(`\`${name}\``)).map(({ code }) => code);
}

/** Every place of an object, with what is said of it. */
function objectsOf(schema: Schema, path: readonly string[]): readonly (readonly string[])[] {
  const isClosed = schema.additionalProperties === false;
  const inner = innerSchemas(schema).flatMap(([name, each]) => objectsOf(each, [...path, name]));
  return isClosed && schema["x-reserved"] !== true ? [path, ...inner] : inner;
}

const expected = {
  "not supported": ["GW4016"],
  refused: ["GW4190"],
  "without effect": ["GW4018", "GW4271"],
} as const;

for (const root of ["apiGateway", "gateway"] as const) {
  test(`an unknown field is an error at every place of ${root}`, async () => {
    const places = objectsOf(documentSchemas[root], []);
    assert.ok(places.length > 10);
    for (const path of places) {
      const codes = await codesAt(root, path, { zzUnknown: { enabled: true } }, "zzUnknown");
      assert.ok(codes.includes("GW4010"), `${path.join(".")}: ${codes.join()}`);
    }
  });

  test(`unsupported settings are reported at every place of ${root}`, async () => {
    for (const { path, treatment, schema } of describeSettings(documentSchemas[root])) {
      if (treatment === "taken") continue;
      const value = schema === undefined ? { enabled: true } : fieldValue(schema, "literal");
      const codes = await codesAt(root, path, value, path.at(-1) ?? "");
      const isSaid = codes.some((code) => (expected[treatment] as readonly string[]).includes(code));
      assert.ok(isSaid, `${path.join(".")}, ${treatment}: ${codes.join()}`);
    }
  });
}

/** Optional settings where tools write out every field, with the values that they write if a setting is not set. */
function zerosIn(
  schema: Schema,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly value: unknown }[] {
  const zeros: Readonly<Record<string, unknown>> = { string: "", integer: 0, number: 0, boolean: false };
  return innerSchemas(schema).flatMap(([name, each]) => {
    const at = [...path, name];
    const inner = zerosIn(each, at);
    const isOptional = Object.hasOwn(schema.properties ?? {}, name) && !schema.required?.includes(name);
    if (schema["x-written-out"] !== true || !isOptional) return inner;
    const values = [each["x-allow-list"] === true ? [] : [null], zeros[String(each.type)] ?? []].flat();
    return [...values.map((value) => ({ path: at, value })), ...inner];
  });
}

/** Every place of a block that can be switched off. */
function switchesIn(schema: Schema, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner = innerSchemas(schema).flatMap(([name, each]) => switchesIn(each, [...path, name]));
  return schema.properties?.enabled?.type === "boolean" ? [path, ...inner] : inner;
}

test("a block that is switched off may hold anything", async () => {
  const schema = { ...editorSchema(documentSchemas.apiGateway), $defs: valuesOfNothing };
  const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  const places = switchesIn(documentSchemas.apiGateway);
  assert.ok(places.length > 5);
  const names = ["zzUnknown", "url", "rate", "allow"];
  const contents = Object.fromEntries(names.map((name) => [name, { zz: [7, "?"] }]));
  for (const path of places) {
    const value = { enabled: false, ...contents };
    const codes = await Promise.all(names.map((name) => codesAt("apiGateway", path, value, name)));
    // Rules of protections that are switched off are known, and reported.
    assert.equal(
      codes.flat().filter((code) => code !== "GW4350"),
      [],
      path.join("."),
    );
    const pointer = path.map((name) => `/${placeholder(name)}`).join("");
    const isWrong = (shown: object) => {
      isValid(below(path, shown));
      return isValid.errors?.some(({ instancePath }) => instancePath.startsWith(pointer)) ?? false;
    };
    assert.equal([isWrong(value), isWrong({ ...value, enabled: true })], [false, true], path.join("."));
  }
});

test("a setting with the value of one that is not set compiles", async () => {
  const schema = { ...editorSchema(documentSchemas.apiGateway), $defs: valuesOfNothing };
  const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  const all = zerosIn(documentSchemas.apiGateway);
  for (const value of ["", 0, false, null]) assert.ok(all.filter((each) => each.value === value).length > 5);
  for (const { path, value } of all) {
    const codes = await codesAt("apiGateway", path, value, path.at(-1) ?? "");
    const refusals = codes.filter((code) => /^GW401[0-7]$/.test(code));
    assert.equal(refusals, [], `${path.join(".")}: ${JSON.stringify(value)}`);
    // Editors get the same answer from the JSON Schema.
    isValid(below(path, value));
    const pointer = path.map((name) => `/${placeholder(name)}`).join("");
    const wrong = isValid.errors?.filter(({ instancePath }) => instancePath === pointer) ?? [];
    assert.equal(wrong, [], `${path.join(".")}: ${JSON.stringify(value)}`);
  }
});

test("a chain of resources can be longer than the stack", async () => {
  const count = 10_000;
  const caches = Array.from({ length: count }, (_, index) => ({
    label: `c${index}`,
    multilevel: [`c${index + 1}`, `c${count}`],
  }));
  const stream = {
    input: { http_server: { path: "/a" } },
    pipeline: { processors: [{ cache: { resource: "c0", operator: "get", key: "a" } }] },
    output: { drop: {} },
    cache_resources: [...caches, { label: `c${count}`, multilevel: ["c0", "c1"] }],
  };
  const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
  const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem });
  assert.equal(
    diagnostics.map(({ code }) => code),
    ["GW4144", "GW4144"],
  );
});

test("a chain of resources that is longer than the stack is read", async () => {
  const count = 10_000;
  const codesWith = async (last: object) => {
    const chain = Array.from({ length: count }, (_, index) => ({
      label: `p${index}`,
      ...(index + 1 < count ? { resource: `p${index + 1}` } : last),
    }));
    const stream = {
      input: { http_server: { path: "/a" } },
      pipeline: { processors: [{ resource: "p0" }] },
      output: { drop: {} },
      processor_resources: chain,
    };
    const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
    const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem });
    return diagnostics.map(({ code }) => code);
  };
  assert.equal(await codesWith({ mapping: "root = this" }), []);
  assert.equal(await codesWith({ resource: "p0" }), ["GW4144"]);
  assert.equal(await codesWith({ resource: "lost" }), ["GW4142"]);
});

test("resources that multiply or nest without end are refused", async () => {
  const codesWith = async (count: number, times: number) => {
    const within = (index: number) => Array.from({ length: times }, () => ({ resource: `p${index + 1}` }));
    const stream = {
      input: { http_server: { path: "/a" } },
      pipeline: { processors: [{ resource: "p0" }] },
      output: { drop: {} },
      processor_resources: Array.from({ length: count }, (_, index) => ({
        label: `p${index}`,
        ...(index + 1 < count ? { branch: { processors: within(index) } } : { mapping: "root = this" }),
      })),
    };
    const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
    const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem });
    return [...new Set(diagnostics.map(({ code }) => code))];
  };
  assert.equal(await codesWith(12, 2), []);
  assert.equal(await codesWith(50, 2), ["GW1015"]);
  assert.equal(await codesWith(90, 1), []);
  assert.equal(await codesWith(3000, 1), ["GW1007"]);
});

test("a chain of `$ref` that is longer than the stack is followed", async () => {
  const count = 20_000;
  const at = (index: number) => ({ $ref: `#/components/schemas/s${index}` });
  const codesWith = async (last: object) => {
    const schemas = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`s${index}`, index + 1 < count ? at(index + 1) : last]),
    );
    const post = {
      requestBody: { content: { "application/json": { schema: at(0) } } },
      responses: { 200: { description: "Done" } },
    };
    const text = JSON.stringify({ ...api, paths: { "/new": { post } }, components: { schemas } });
    const fileSystem = createMemoryFileSystem({ "api.json": text });
    const { diagnostics } = await checkDocuments(["api.json"], { fileSystem });
    return diagnostics.map(({ code }) => code);
  };
  assert.equal(await codesWith({ type: "string" }), []);
  assert.equal(await codesWith(at(count / 2)), ["GW1032"]);
});

test.run();
