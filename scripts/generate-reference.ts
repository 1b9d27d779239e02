// Writes docs/reference.md, every field of every component and every function and method of mappings, from the
// schemas and the catalogue of builtins: `node scripts/generate-reference.ts`. A test fails when what is checked
// in is not what this would write.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Builtin } from "../compiler/builtins/builtin.ts";
import { allBuiltins } from "../compiler/builtins/catalogue.ts";
import { signatureOf } from "../compiler/builtins/describe.ts";
import { componentsOf, documentSchemas } from "../schemas/catalogue.ts";
import type { Schema } from "../schemas/schema.ts";

/** The page, from the root of the repository. */
export const referencePath = "docs/reference.md";

/** The text of the page. */
export function generateReference(): string {
  const sections = [
    "<!-- Generated from schemas/ and compiler/builtins/ by scripts/generate-reference.ts. Do not edit. -->",
    "# Reference",
    intro,
    "## Connectors",
    ...[...componentsOf("input"), ...componentsOf("output")]
      .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
      .map(({ name, role, schema }) => describe(`\`${name}\` ${role}`, schema)),
    "## Processors",
    ...componentsOf("processor").map(({ name, schema }) => describe(`\`${name}\``, schema)),
    "## Caches",
    ...componentsOf("cache").map(({ name, schema }) => describe(`\`${name}\` cache`, schema)),
    "## Rate limits",
    ...componentsOf("rate_limit").map(({ name, schema }) => describe(`\`${name}\` rate limit`, schema)),
    "## Around the components",
    describe("Beside every component", documentSchemas.component),
    describe("A stream", documentSchemas.stream),
    describe("`x-gw-api-gateway`", documentSchemas.apiGateway),
    describe("`gateway.yaml`", documentSchemas.gateway),
    describe("`management.yaml`", documentSchemas.management),
    "## Functions and methods of mappings",
    signatures,
    "### Functions",
    describeBuiltins("function"),
    "### Methods",
    describeBuiltins("method"),
  ];
  return `${sections.join("\n\n")}\n`;
}

const intro = `Every field a document may use. *Text with queries* takes \`\${! … }\`; a *mapping* and a *query* are written in
the mapping language; a *duration* is text such as \`500ms\`, \`5s\` or \`1m30s\`. Any value may be read from the
environment with \`\${NAME}\` or \`\${NAME:default}\`. Fields marked *no effect yet* are read and reported.`;

const signatures = `\`text\` is a string or bytes, and what is made of bytes is bytes; parameters of type \`string\` take bytes, too. A
method of \`any\` value works on all of them. \`?\` marks what may be left out, \`= …\` what is taken then. A \`query\` is
asked once for each element, with the element as \`this\`. \`unknown\` is what nobody knows before there are values;
the checker knows more where it knows the target.`;

function describeBuiltins(kind: Builtin["kind"]): string {
  const builtins = allBuiltins().filter((builtin) => builtin.kind === kind);
  const sorted = builtins.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return ["| signature | meaning |", "|---|---|", ...sorted.map(builtinRow)].join("\n");
}

function builtinRow(builtin: Builtin): string {
  const notes = [
    ...(builtin.deprecated ? ["Deprecated."] : []),
    ...(builtin.capability === "files" ? ["Only where `allow_unsafe` names it."] : []),
    ...(builtin.capability === "compiler" ? ["Not in gateways, which are without a compiler."] : []),
    ...(builtin.canFail ? [] : ["Never fails."]),
  ];
  const cells = [`\`${signatureOf(builtin)}\``, [builtin.doc, ...notes].join(" ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function describe(heading: string, schema: Schema): string {
  const rows = rowsOf(schema, "");
  const table = ["| field | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
  const unsupported = schema["x-unsupported"] ?? [];
  const moot = Object.entries(schema["x-moot"] ?? {}).map(
    ([name, why]) => `\`${name}\` changes nothing, as ${why}.`,
  );
  return [
    `### ${heading}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(rows.length === 0 ? [] : [table]),
    ...(unsupported.length === 0
      ? []
      : [`Not supported yet: ${unsupported.map((name) => `\`${name}\``).join(", ")}.`]),
    ...(moot.length === 0 ? [] : [moot.join(" ")]),
  ].join("\n\n");
}

function rowsOf(schema: Schema, prefix: string): readonly string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = `${prefix}${name}`;
    const inner = property.properties === undefined ? (property.items ?? {}) : property;
    const below = rowsOf(inner, `${field}${property.items === undefined ? "." : "[]."}`);
    return [row(field, property, required.has(name)), ...below];
  });
}

function row(field: string, schema: Schema, required: boolean): string {
  const fallback =
    schema.default === undefined ? (required ? "required" : "") : `\`${JSON.stringify(schema.default)}\``;
  const notes = [
    ...(schema.enum === undefined ? [] : [`One of ${schema.enum.map((each) => `\`${each}\``).join(", ")}.`]),
    ...(schema["x-supported"] === undefined
      ? []
      : [`Supported yet: ${schema["x-supported"].map((each) => `\`${each}\``).join(", ")}.`]),
    ...(schema["x-reserved"] === true ? ["No effect yet."] : []),
  ];
  const meaning = [schema.description ?? "", ...notes].join(" ").replaceAll("|", "\\|").trim();
  return `| \`${field}\` | ${typeOf(schema)} | ${fallback.replaceAll("|", "\\|")} | ${meaning} |`;
}

function typeOf(schema: Schema): string {
  const text = schema["x-text"];
  if (text === "interpolated") return "text with queries";
  if (text !== undefined) return text;
  if (schema["x-unit"] === "duration")
    return schema["x-resource"] === undefined ? "duration" : "duration or label";
  if (schema["x-resource"] !== undefined) return "label";
  if (schema["x-component"] !== undefined) return schema["x-component"];
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => (type === "array" ? "list" : type === "string" ? "text" : type)).join(" or ");
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "..", referencePath), generateReference());
