// Schemas that judge what other keywords have left unevaluated (JSON Schema 2020-12, section 11).

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDocuments } from "../../compiler/compile.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { loadGateway } from "../../compiler/embed/load-gateway.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { projectRoot } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";

interface Case {
  readonly name: string;
  readonly schema: object;
  readonly fits: readonly string[];
  readonly odd: readonly string[];
}

const closed = { unevaluatedProperties: false };
const full = { unevaluatedItems: false };
const named = { properties: { a: { type: "string" } }, required: ["a"] };
const numbered = { properties: { b: {} }, required: ["b"] };
const aOrB = { anyOf: [named, numbered], ...closed };

const cases: readonly Case[] = [
  {
    name: "items of a list are judged apart",
    schema: { items: aOrB },
    fits: ['[{"a":"x"},{"b":1}]', '[{"a":"x","b":1}]'],
    odd: ['[{"a":1,"b":1}]', '[{"a":"x"},{"a":1,"b":1}]'],
  },
  {
    name: "values behind a reference are judged apart",
    schema: { additionalProperties: { $ref: "#/components/schemas/AorB" } },
    fits: ['{"x":{"a":"x"},"y":{"b":1}}'],
    odd: ['{"x":{"a":"x"},"y":{"a":1,"b":1}}'],
  },
  {
    name: "lists in an object are judged apart",
    schema: {
      additionalProperties: { anyOf: [{ prefixItems: [{ const: 1 }, true] }, { minItems: 1 }], ...full },
    },
    fits: ['{"x":[1,2]}'],
    odd: ['{"x":[1,2],"y":[2,3]}', '{"y":[2,3]}'],
  },
  {
    name: "names of every object are unevaluated",
    schema: aOrB,
    fits: ['{"b":1}', '{"a":"x","b":1}'],
    odd: ['{"b":1,"toString":1}', '{"b":1,"constructor":{}}', '{"b":1,"__proto__":1}', '{"b":1,"c":1}'],
  },
  {
    name: "patterns beside alternatives",
    schema: { anyOf: [named, { required: ["b"] }], patternProperties: { "^[bx]": {} }, ...closed },
    fits: ['{"b":1,"x":1}', '{"a":"x","x":1}'],
    odd: ['{"b":1,"y":1}'],
  },
  {
    name: "patterns beside alternatives where nothing is closed",
    schema: {
      anyOf: [named, { required: ["b"] }, { required: ["c"], additionalProperties: { type: "number" } }],
      patternProperties: { "^x": { type: "number" } },
    },
    fits: ['{"b":1,"x":1}', '{"c":1,"x":1}'],
    odd: ['{"b":1,"x":"1"}', '{"x":1}'],
  },
  {
    name: "patterns beside an alternative that takes every name",
    schema: {
      anyOf: [{ required: ["c"], additionalProperties: { type: "number" } }, named],
      patternProperties: { "^x": {} },
      ...closed,
    },
    fits: ['{"c":1,"x":1}', '{"a":"x","x":1}'],
    odd: ['{"a":"x","c":"1"}'],
  },
  {
    name: "items that are contained",
    schema: { prefixItems: [true], contains: { type: "string" }, ...full },
    fits: ['[1,"foo"]', '["foo"]'],
    odd: ['[1,2,"foo"]', "[1]"],
  },
  {
    name: "numbers of contained items",
    schema: {
      properties: {
        s: { contains: { const: 1 }, minContains: 2, maxContains: 3, unevaluatedItems: { const: 2 } },
      },
    },
    fits: ['{"s":[1,1,2]}', '{"s":[1,1,1]}', '{"s":1}'],
    odd: ['{"s":[1,2]}', '{"s":[1,1,1,1]}', '{"s":[1,1,3]}'],
  },
  {
    name: "values that are lists or objects",
    schema: { contains: { const: 1 }, properties: { a: {} }, allOf: [numbered], ...full, ...closed },
    fits: ["[1,1]", '{"a":1,"b":1}'],
    odd: ["[1,2]", '{"a":1,"b":1,"c":1}', '{"a":1}'],
  },
  {
    name: "items that an alternative takes",
    schema: { anyOf: [{ items: { type: "string" } }, true], unevaluatedItems: { type: "boolean" } },
    fits: ['["a","b"]', "[true]", "[]"],
    odd: ['["a",false]'],
  },
  {
    name: "conditions without consequences",
    schema: { if: named, ...closed },
    fits: ['{"a":"x"}', "{}"],
    odd: ['{"a":1}', '{"a":"x","b":1}'],
  },
  {
    name: "conditions with one consequence",
    schema: { if: named, else: numbered, ...closed },
    fits: ['{"a":"x"}', '{"b":1}'],
    odd: ['{"a":1,"b":1}', '{"a":"x","b":1}', "{}"],
  },
];

const files = {
  "api.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Unevaluated", version: "1" },
    paths: Object.fromEntries(
      cases.map(({ schema }, index) => [
        `/c${index}`,
        {
          post: {
            operationId: `c${index}`,
            requestBody: { content: { "application/json": { schema } } },
            responses: { 200: { description: "ok" } },
          },
        },
      ]),
    ),
    components: { schemas: { AorB: aOrB } },
    "x-gw-api-gateway": {
      info: { name: "unevaluated", state: { active: true } },
      server: { listenPath: { value: "/" } },
      upstream: { url: "${UPSTREAM}" },
      middleware: { global: { validateRequest: { enabled: true } } },
    },
  }),
};

test("what other keywords have left is judged for each value alone", async () => {
  const upstream = await httpServer();
  const built = await compileDocuments(["api.json"], {
    packageRoot: projectRoot,
    fileSystem: createMemoryFileSystem(files),
  });
  assert.ok(built.files, renderPretty(built.diagnostics, { color: false }));
  const { default: gateway, serveGateway } = await loadGateway(built.files);
  const served = await serveGateway(gateway, {
    environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", UPSTREAM: upstream.url },
    log: createLogger("silent"),
  });
  const ask = async (index: number, body: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${served.addresses.gateway}/c${index}`, { method: "POST", body, headers });
    await response.arrayBuffer();
    return response.status;
  };
  for (const [index, { name, fits, odd }] of cases.entries()) {
    for (const body of fits) assert.is(await ask(index, body), 200, `${name}: ${body}`);
    for (const body of odd) assert.is(await ask(index, body), 422, `${name}: ${body}`);
  }
  await served.close();
  await upstream.close();
});

test.run();
