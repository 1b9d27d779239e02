// Writes docs/reference.md, every field of every component, from the schemas: `node
// scripts/generate-reference.ts`. A test fails when what is checked in is not what this would write.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectors, documentSchemas, processors } from "../schemas/catalogue.ts";
import type { Schema } from "../schemas/schema.ts";

/** The page, from the root of the repository. */
export const referencePath = "docs/reference.md";

/** The text of the page. */
export function generateReference(): string {
  const sections = [
    "<!-- Generated from schemas/ by scripts/generate-reference.ts. Do not edit. -->",
    "# Reference",
    intro,
    "## Connectors",
    ...Object.entries(connectors).flatMap(([name, { input, output }]) => [
      ...(input === undefined ? [] : [describe(`\`${name}\` input`, input)]),
      ...(output === undefined ? [] : [describe(`\`${name}\` output`, output)]),
    ]),
    "## Processors",
    ...Object.entries(processors).map(([name, schema]) => describe(`\`${name}\``, schema)),
    "## Around the components",
    describe("Beside every component", documentSchemas.component),
    describe("A stream", documentSchemas.stream),
    describe("`x-gw-api-gateway`", documentSchemas.apiGateway),
    describe("`gateway.yaml`", documentSchemas.gateway),
  ];
  return `${sections.join("\n\n")}\n`;
}

const intro = `Every field a document may use. *Text with queries* takes \`\${! … }\`; a *mapping* and a *query* are written in
the mapping language; a *duration* is text such as \`500ms\`, \`5s\` or \`1m30s\`. Any value may be read from the
environment with \`\${NAME}\` or \`\${NAME:default}\`. Fields marked *no effect yet* are read and reported.`;

function describe(heading: string, schema: Schema): string {
  const rows = rowsOf(schema, "");
  const table = ["| field | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
  const unsupported = schema["x-unsupported"] ?? [];
  return [
    `### ${heading}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(rows.length === 0 ? [] : [table]),
    ...(unsupported.length === 0
      ? []
      : [`Not supported yet: ${unsupported.map((name) => `\`${name}\``).join(", ")}.`]),
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
    return schema["x-name"] === undefined ? "duration" : "duration or name";
  if (schema["x-component"] !== undefined) return schema["x-component"];
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => (type === "array" ? "list" : type === "string" ? "text" : type)).join(" or ");
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "..", referencePath), generateReference());
