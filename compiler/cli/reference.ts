// Generates the reference of components and functions as Markdown: tables of fields and signatures, from schemas and
// builtins.

import type { Component } from "../../schemas/component.ts";
import { fieldNotes, fieldType } from "../../schemas/field-text.ts";
import type { Schema } from "../../schemas/schema.ts";
import type { Builtin } from "../builtins/builtin.ts";
import { signatureOf } from "../builtins/describe.ts";
import type { Dialect } from "../trees/dialect.ts";

/** Returns the section of a component: `### `kafka` input`. */
export function describeComponent({ role, name, schema }: Component): string {
  const called = role === "processor" ? `\`${name}\`` : `\`${name}\` ${role.replace("_", " ")}`;
  return describeSchema(called, schema);
}

/** Returns a table of functions or methods, sorted by name. */
export function describeBuiltins(builtins: readonly Builtin[]): string {
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

/** Returns a heading, the description of the schema, and a table of its fields. */
export function describeSchema(heading: string, schema: Schema): string {
  const rows = rowsOf(schema, "");
  const table = ["| field | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
  const unsupported = schema["x-unsupported"] ?? [];
  const withoutEffect = Object.entries(schema["x-without-effect"] ?? {}).map(
    ([name, why]) => `\`${name}\` changes nothing, as ${why}.`,
  );
  return [
    `### ${heading}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(rows.length === 0 ? [] : [table]),
    ...(unsupported.length === 0
      ? []
      : [`Not supported yet: ${unsupported.map((name) => `\`${name}\``).join(", ")}.`]),
    ...(withoutEffect.length === 0 ? [] : [withoutEffect.join(" ")]),
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
  const meaning = [schema.description ?? "", ...fieldNotes(schema)].join(" ").replaceAll("|", "\\|").trim();
  return `| \`${field}\` | ${fieldType(schema)} | ${fallback.replaceAll("|", "\\|")} | ${meaning} |`;
}

/** Returns the additions of packages to the reference; empty if there are none. */
export function packageReference({ components, builtins }: Dialect): string {
  const brought = components.components.filter(({ runtime }) => runtime.source !== undefined);
  const written = builtins.builtins.filter(({ link }) => link !== undefined);
  const tables = (["function", "method"] as const).flatMap((kind) => {
    const ofKind = written.filter((each) => each.kind === kind);
    const heading = kind === "function" ? "## Functions of mappings" : "## Methods of mappings";
    return ofKind.length === 0 ? [] : [heading, describeBuiltins(ofKind)];
  });
  const sections = brought.length === 0 ? [] : ["## Components", ...brought.map(describeComponent)];
  return [...sections, ...tables].map((section) => `${section}\n`).join("\n");
}

/** Returns the sections of everything with that name; empty if there is nothing. */
export function referenceOf(name: string, { components, builtins }: Dialect): string {
  const named = components.components.filter((each) => each.name === name || each.aliases?.includes(name));
  const called = builtins.builtins.filter((each) => each.name === name);
  const sections = [
    ...named.map(describeComponent),
    ...(called.length === 0 ? [] : [`### \`${name}\` in mappings`, describeBuiltins(called)]),
  ];
  return sections.map((section) => `${section}\n`).join("\n");
}
