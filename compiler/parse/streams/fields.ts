// Reads a tree as a field by its schema, which decides which text is a mapping, which fields allow interpolation and
// where components nest. Leaves out values with the wrong shape (unknown fields, wrong types), which the document check
// reports.

import type { ComponentRole } from "../../../schemas/component.ts";
import { mentionsEnvironment } from "../../../schemas/environment-reference.ts";
import {
  type CodecOption,
  type CodecScanner,
  codecLimit,
  readCodec,
} from "../../../schemas/scanner-codecs.ts";
import type { Schema } from "../../../schemas/schema.ts";
import { ignoreReports, type Report } from "../../diagnostics/sink.ts";
import { type Span, spanOf } from "../../source/source.ts";
import type { ComponentNode, FieldNode, ListField, ObjectField } from "../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  type ListNode,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../../trees/document.ts";
import { isLeftOut, isSwitchedOff } from "../../trees/left-out.ts";
import { reportVariablesInKey } from "../../trees/named-variables.ts";
import { readScalar, type ScalarPlace } from "./scalars.ts";

/** The maximum size of a message in bytes in older documents that name a codec without `max_buffer`. */
const defaultLimit = 1_000_000;

/**
 * Returns the object with the scanner that its `codec` stands for, each part at its place in the text. Returns the
 * object itself if its schema has no such codec or a `scanner` is next to it. Reports a text that is not a codec
 * (GW4080) and a `max_buffer` that nothing reads (GW4271).
 */
function withScannerOfCodec(node: MapNode, schema: Schema, name: string, report: Report): MapNode {
  if (schema.properties?.codec?.["x-alias"] !== "scanner") return node;
  const codec = findEntry(node, "codec");
  const limit = findEntry(node, "max_buffer");
  const isUsed = codec?.value.kind === "scalar" && codec.value.value !== "";
  if (limit !== undefined && !isUsed)
    report("GW4271", limit.keySpan, { owner: name, field: "max_buffer", reason: "only `codec` reads it" });
  const entries = node.entries.filter((entry) => entry !== limit);
  if (!isUsed || codec === undefined || findEntry(node, "scanner") !== undefined) return { ...node, entries };
  return {
    ...node,
    entries: entries.flatMap((entry) =>
      entry === codec ? scannerEntry(codec, limit?.value, report) : [entry],
    ),
  };
}

function scannerEntry(
  { value: node, keySpan }: MapEntry,
  limit: DocumentNode | undefined,
  report: Report,
): readonly MapEntry[] {
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
  const read = readCodec(node.value);
  if (!("reason" in read)) return [{ key: "scanner", keySpan, value: scannerNode(read, { node, limit }) }];
  const { start, end, reason, example } = read;
  const value = node.value.slice(start, end);
  report("GW4080", spanOf(node.text, start, end), { value, title: "a codec", reason, example });
  return [];
}

interface Codec {
  /** The text of the codec. */
  readonly node: ScalarNode;
  /** The value of `max_buffer`. */
  readonly limit: DocumentNode | undefined;
}

/** `{ csv: {} }` */
function scannerNode({ name, start, end, options }: CodecScanner, codec: Codec): MapNode {
  const span = spanOf(codec.node.text, start, end);
  return mapNode({ [name]: mapNode(nodesOf(options, span, codec), span) }, span);
}

function optionNode(option: CodecOption, span: Span, codec: Codec): DocumentNode {
  if (option === codecLimit) return codec.limit ?? optionNode(defaultLimit, span, codec);
  if (typeof option !== "object") return { kind: "scalar", value: option, span, text: codec.node.text };
  if (!isList(option)) return scannerNode(option, codec);
  return { kind: "list", span, items: option.map((item) => mapNode(nodesOf(item, span, codec), span)) };
}

function isList(option: CodecOption): option is Extract<CodecOption, readonly unknown[]> {
  return Array.isArray(option);
}

function nodesOf(options: CodecScanner["options"], span: Span, codec: Codec) {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, optionNode(option, span, codec)] as const),
  );
}

function mapNode(fields: Readonly<Record<string, DocumentNode>>, keySpan: Span): MapNode {
  const entries = Object.entries(fields).map(([key, value]) => ({ key, keySpan, value }));
  return { kind: "map", entries, span: keySpan };
}

/** Reads a nested component. The caller passes it because components consist of fields themselves. */
export type ReadComponent = (
  role: ComponentRole,
  node: DocumentNode,
  report: Report,
) => ComponentNode | undefined;

/** The place of a field and the function that reads components in it. */
export interface FieldPlace extends ScalarPlace {
  readonly readComponent: ReadComponent;
}

/** A schema without restrictions, which accepts any value as it is. */
const anything: Schema = {};

/** Returns the value of a field; `undefined` if its schema does not accept it. */
export function readField(node: DocumentNode, place: FieldPlace): FieldNode | undefined {
  const role = place.schema["x-component"];
  if (role !== undefined) {
    const component = place.readComponent(role, node, place.report);
    return component && { kind: "Component", component, span: node.span };
  }
  switch (node.kind) {
    case "scalar":
      return readScalar(node, place);
    case "list":
      return readListOrShorthand(node, place);
    case "map":
      return readObject(node, place);
  }
}

/** Returns the fields of a map in the order written, under their own names whatever spelling was used. */
export function readObject(written: MapNode, place: FieldPlace): ObjectField {
  const { schema } = place;
  const isOff = isSwitchedOff(written, schema);
  const report = isOff ? ignoreReports : place.report;
  const node = withScannerOfCodec(written, schema, place.name, report);
  const unread: string[] = [];
  const fields = node.entries.flatMap((entry) => {
    if (/\$\{/.test(entry.key)) report("GW4025", entry.keySpan, { key: entry.key });
    reportVariablesInKey(entry, report);
    if (isLeftOut(entry, schema, isOff)) return [];
    const found = findProperty(schema, entry.key);
    if (found !== undefined && isSecondSpelling(node, entry, found.name, report)) return [];
    const value =
      found && readField(entry.value, { ...place, report, name: entry.key, schema: found.schema });
    if (value !== undefined) return [{ name: found?.name ?? entry.key, nameSpan: entry.keySpan, value }];
    unread.push(entry.key);
    return [];
  });
  return { kind: "Object", fields, span: node.span, ...(unread.length > 0 && { unread }) };
}

/** Returns the property that a key refers to: its own name and schema. */
function findProperty(schema: Schema, key: string): { name: string; schema: Schema } | undefined {
  const properties = schema.properties ?? {};
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (own !== undefined) return { name: own["x-alias"] ?? key, schema: own };
  if (typeof schema.additionalProperties === "object")
    return { name: key, schema: schema.additionalProperties };
  return schema.additionalProperties === false ? undefined : { name: key, schema: anything };
}

/** Reports an alias next to the name that it refers to; the alias is then ignored. */
function isSecondSpelling(node: MapNode, entry: MapEntry, name: string, report: Report): boolean {
  if (name === entry.key) return false;
  const own = node.entries.find((other) => other.key === name);
  if (own === undefined) return false;
  const related = { span: own.keySpan, message: `\`${name}\` is here.` };
  report("GW4019", entry.keySpan, { field: name, other: entry.key }, related);
  return true;
}

function readListOrShorthand(node: ListNode, place: FieldPlace): FieldNode | undefined {
  const name = place.schema["x-shorthand"];
  const property = name === undefined ? undefined : place.schema.properties?.[name];
  if (name === undefined || property === undefined) return readList(node, place);
  const value = readList(node, { ...place, name, schema: property });
  if (value === undefined) return undefined;
  const nameSpan = { ...node.span, end: node.span.start };
  return { kind: "Object", fields: [{ name, nameSpan, value }], span: node.span };
}

function readList(node: ListNode, place: FieldPlace): ListField | FieldNode | undefined {
  const { schema } = place;
  if (schema.type !== undefined && schema.type !== "array" && !schema.type.includes("array"))
    return undefined;
  const itemPlace = { ...place, schema: schema.items ?? anything };
  const [only] = node.items;
  if (schema["x-commas"] && node.items.length === 1 && only?.kind === "scalar" && isReference(only)) {
    // An environment variable may contain several items, and only the list as a whole can hold several.
    const whole = readScalar(only, {
      ...place,
      schema: { type: "array", ...(schema.items && { items: schema.items }) },
    });
    return whole?.kind === "Literal" ? listOf([whole], node) : whole && { ...whole, span: node.span };
  }
  const items = node.items.flatMap((item) => {
    if (schema["x-commas"] && item.kind === "scalar" && !isReference(item))
      return splitAtCommas(item, itemPlace);
    const value = readField(item, itemPlace);
    if (value === undefined) return [];
    return value.kind === "Environment" && schema["x-commas"]
      ? [{ ...value, isSplit: true as const }]
      : [value];
  });
  return listOf(items, node);
}

function listOf(items: readonly FieldNode[], node: ListNode): ListField {
  return { kind: "List", items, span: node.span };
}

function isReference(node: ScalarNode): boolean {
  return typeof node.value === "string" && mentionsEnvironment(node.value);
}

/** Splits `a:9092, b:9092` into two items, each with its own place. */
function splitAtCommas(node: ScalarNode, place: FieldPlace): readonly FieldNode[] {
  if (typeof node.value !== "string" || !node.value.includes(",") || node.value.includes("${!")) {
    const value = readScalar(node, place);
    return value === undefined ? [] : [value];
  }
  return [...node.value.matchAll(/[^,\s][^,]*/g)].map((match) => {
    const value = match[0].trimEnd();
    return { kind: "Literal", value, span: spanOf(node.text, match.index, match.index + value.length) };
  });
}
