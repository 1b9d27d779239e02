// `node scripts/run.js bench/schema-engines.ts`: compares the engines that validate values with JSON Schemas at run
// time: the closures of the mapping language, ajv as a compiler in the gateway, and code that ajv compiled ahead of
// time.

import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import type { PlainJson } from "../runtime/mapping/plain-json.ts";
import { compileSchema } from "../runtime/mapping/schema-checks.ts";
import { faultsOf } from "../runtime/mapping/schema-faults.ts";
import { portalRecords } from "../schemas/portal/records.ts";
import { compare, cpuTime, median } from "./measure.ts";

/** A schema that all three engines support. */
const schema = {
  type: "object",
  required: ["id", "customer", "lines"],
  additionalProperties: false,
  properties: {
    id: { type: "string", minLength: 4, maxLength: 40 },
    customer: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, tier: { enum: ["basic", "gold", "platinum"] } },
    },
    lines: {
      type: "array",
      maxItems: 100,
      items: {
        type: "object",
        required: ["sku", "quantity"],
        properties: {
          sku: { type: "string", minLength: 3 },
          quantity: { type: "integer", minimum: 1, maximum: 1000 },
          price: { type: "number", minimum: 0 },
        },
      },
    },
  },
};

const order = {
  id: "order-1001",
  customer: { name: "A. Customer", tier: "gold" },
  lines: Array.from({ length: 8 }, (_, index) => ({ sku: `sku-${index}`, quantity: index + 1, price: 9.5 })),
};
const wrong = {
  ...order,
  lines: order.lines.map((line, index) => (index < 3 ? { ...line, quantity: 0 } : line)),
};

const options = { allErrors: true, strict: false, code: { source: true } } as const;
const byClosures = compileSchema(schema);
const ajv = new Ajv2020(options);
const byAjv = ajv.compile(schema);

for (const [name, document] of [
  ["that fits", order],
  ["with three faults", wrong],
] as const) {
  const value: PlainJson = document;
  const outcome = compare({
    name,
    goal: 0,
    messages: [new Uint8Array()],
    baseline: () => byAjv(value),
    candidate: () => faultsOf(byClosures, value, []).all,
  });
  const [closures, compiled] = [outcome.candidate, outcome.baseline].map((time) => time.toFixed(2));
  console.log(`an order ${name}: closures ${closures} µs, ajv (either way: the same code) ${compiled} µs`);
}

const schemas = Array.from({ length: 200 }, (_, index) => ({ ...schema, title: `Order ${index}` }));
const making = {
  closures: () => schemas.map((each) => compileSchema(each)),
  ajv: () => {
    const one = new Ajv2020(options);
    return schemas.map((each) => one.compile(each));
  },
};
for (const [name, make] of Object.entries(making)) {
  const times = Array.from({ length: 5 }, () => cpuTime(make) / schemas.length);
  console.log(`making a function of a schema: ${name} ${median(times).toFixed(0)} µs`);
}

const compiledFile = join(tmpdir(), `schema-engine-${process.pid}.cjs`);
writeFileSync(compiledFile, standalone.default(ajv, byAjv));
const here = import.meta.dirname;
const compiledRecords = join(tmpdir(), `record-schemas-${process.pid}.cjs`);
const ofRecords = new Ajv2020({ ...options, removeAdditional: true, validateFormats: false });
for (const [name, record] of Object.entries(portalRecords)) ofRecords.addSchema(record, name);
const names = Object.fromEntries(Object.keys(portalRecords).map((name) => [name, name]));
writeFileSync(compiledRecords, standalone.default(ofRecords, names));
const closures = `export { compileSchema } from "../runtime/mapping/schema-checks.ts";`;
const exported = (file: string) => `export { default } from ${JSON.stringify(file)};`;
const engines: Readonly<Record<string, readonly [contents: string, isBare?: boolean]>> = {
  closures: [closures, true],
  "closures, with formats and RE2": [closures],
  "ajv as a compiler, without formats": [`export { Ajv2020 } from "ajv/dist/2020.js";`],
  "this schema, compiled by ajv beforehand": [exported(compiledFile)],
  "all records of the portal, compiled by ajv beforehand": [exported(compiledRecords)],
};
for (const [name, [contents, isBare = false]] of Object.entries(engines)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["ajv/dist/runtime/*", ...(isBare ? ["re2js", "ajv-formats/*"] : [])],
  });
  const bytes = outputFiles.reduce((sum, { contents: each }) => sum + each.length, 0);
  console.log(`bytes of a bundle: ${name} ${bytes}`);
}
for (const file of [compiledFile, compiledRecords]) rmSync(file);
