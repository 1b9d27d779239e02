// The fields that a template's file declares, to the values that a place in a document gives them.

import { mentionsEnvironment } from "../../schemas/environment-reference.ts";
import type { Schema } from "../../schemas/schema.ts";
import { checkShape } from "../check/document/shape.ts";
import { type Report, watchErrors } from "../diagnostics/sink.ts";
import { readObject } from "../parse/streams/fields.ts";
import {
  type DocumentNode,
  findEntry,
  findText,
  type Json,
  type MapEntry,
  type MapNode,
  toJson,
} from "../trees/document.ts";

/** A field as the file declares it. */
interface TemplateField {
  readonly name: string;
  readonly type: string;
  readonly kind: string;
  /** What stands for a field that is left out; without it, the field is required. */
  readonly fallback: Json | undefined;
}

/** The values of all fields of a template that is named at `use`; `undefined` after a report of what is wrong with one. */
export type ReadFields = (use: MapEntry, report: Report) => Json | undefined;

/** A reader of the fields that the list `fields` of a template declares. */
export function createFieldsReader(fields: DocumentNode | undefined): ReadFields {
  const declared = fields?.kind === "list" ? fields.items.map(fieldOf) : [];
  const schema = schemaOf(declared);
  return ({ key, keySpan, value }, report) => {
    const isEmpty = value.kind === "scalar" && (value.value === null || value.value === "");
    const node: DocumentNode = isEmpty ? { kind: "map", entries: [], span: keySpan } : value;
    const watched = watchErrors(report);
    const place = { node, name: key, nameSpan: keySpan, schema };
    const known = node.kind === "map" ? withEnvironment(node, declared) : undefined;
    const reading = { ...place, report: watched.report, readComponent: () => undefined };
    checkShape(place, known && readObject(known, reading), watched.report);
    if (watched.hasErrors() || node.kind !== "map") return undefined;
    return Object.fromEntries(
      declared.map((field) => [field.name, givenValue(field, findEntry(node, field.name))]),
    );
  };
}

function fieldOf(node: DocumentNode): TemplateField {
  const fallback = findEntry(node, "default");
  return {
    name: findText(node, "name") ?? "",
    type: findText(node, "type") ?? "unknown",
    kind: findText(node, "kind") ?? "scalar",
    fallback: fallback && toJson(fallback.value),
  };
}

/** The numbers and booleans that the environment gives, which have no value yet. Any text stays what it is. */
function withEnvironment(node: MapNode, fields: readonly TemplateField[]): MapNode {
  const isGiven = ({ key, value }: MapEntry) =>
    value.kind === "scalar" &&
    mentionsEnvironment(value.text.text) &&
    fields.some(({ name, type }) => name === key && type !== "string" && type !== "unknown");
  return { ...node, entries: node.entries.filter(isGiven) };
}

/** What values are taken: a text also where a number is written, as the reference engine makes a text of it. */
const types: Readonly<Record<string, Schema>> = {
  string: { type: ["string", "number", "boolean"] },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
};

function schemaOf(fields: readonly TemplateField[]): Schema {
  const properties = fields.map(({ name, type, kind }): [string, Schema] => {
    const single = types[type] ?? {};
    if (kind === "list") return [name, { type: "array", items: single }];
    return [name, kind === "map" ? { type: "object", additionalProperties: single } : single];
  });
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    required: fields.flatMap(({ name, fallback }) => (fallback === undefined ? [name] : [])),
  };
}

function givenValue({ type, fallback }: TemplateField, written: MapEntry | undefined): Json {
  if (written === undefined) return fallback ?? null;
  return type === "string" ? textsOf(written.value) : toJson(written.value);
}

/** Numbers and booleans as they are written. */
function textsOf(node: DocumentNode): Json {
  if (node.kind === "list") return node.items.map(textsOf);
  if (node.kind === "map")
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, textsOf(value)]));
  if (typeof node.value === "string" || node.value === null) return node.value;
  return node.span.source.text.slice(node.span.start, node.span.end);
}
