// Reads a scalar by the schema of its field: as a mapping, query, template, duration, environment reference or plain
// value. A text that contains both `${! query }` and `${NAME}` is a template. The document check reports values of the
// wrong type.

import { durationUnits, parseDuration } from "../../../schemas/duration.ts";
import { mentionsEnvironment } from "../../../schemas/environment-reference.ts";
import { limitOf } from "../../../schemas/limits.ts";
import type { Encoding, Schema } from "../../../schemas/schema.ts";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import {
  createEmbeddedText,
  type SourceFile,
  type SourceText,
  type Span,
  spanOf,
} from "../../source/source.ts";
import type {
  EncodedText,
  EnvironmentField,
  EnvironmentPart,
  FieldNode,
  TemplateField,
  ValueOrigin,
} from "../../trees/api.ts";
import { textOfDefaults } from "../../trees/api.ts";
import type { ScalarNode } from "../../trees/document.ts";
import type { Mapping, MappingNode, QueryPart, Template, TextPart } from "../../trees/mapping.ts";
import { meantValue } from "../../trees/number-text.ts";
import { walk } from "../../trees/walk.ts";
import { parseMapping, parseQuery, parseTemplate, repeatMapping } from "../mapping/parser.ts";
import { originOf } from "../mapping/value-origin.ts";
import { parseEnvironment } from "./environment.ts";

/** The properties of a field that reading a scalar needs. */
export interface ScalarPlace {
  /** The field's name, for messages. */
  readonly name: string;
  readonly schema: Schema;
  readonly report: Report;
}

/** The longest timeout of Node in milliseconds; with a longer one its timers fire immediately. */
const longestTimer = 2 ** 31 - 1;
/** The longest duration without a timer, in milliseconds: longer ones are mistakes and exceed the range of dates. */
const tenYears = 87_600 * 3_600_000;

/** Returns the value of a scalar in its field; `undefined` after a report, or if its type does not fit. */
export function readScalar(node: ScalarNode, place: ScalarPlace): FieldNode | undefined {
  const value = meantValue(node, place.schema);
  if (typeof value !== "string")
    return acceptsType(place.schema, value) ? { kind: "Literal", value, span: node.span } : undefined;
  switch (place.schema["x-text"]) {
    case "mapping":
      return readMapping(node, place);
    case "query":
      return readQuery(node, place);
    case "interpolated":
      return readTemplateField(node, place);
    case undefined:
      return readText(node, value, place);
  }
}

function readMapping(node: ScalarNode, { name, report, schema }: ScalarPlace): FieldNode | undefined {
  const mapping = parseMappingOnce(node.text, report);
  if (mapping !== undefined) warnOfEnvironment(node, mapping, report);
  const startsFrom = schema["x-root"] ?? "nothing";
  const givesArray = schema["x-gives"] === "array" ? { givesArray: name } : {};
  return mapping && { kind: "Mapping", mapping, startsFrom, ...givesArray, span: node.span };
}

/** The first mapping with each text of a file. Mappings with mistakes and those of other files are left out. */
const firstMappings = new WeakMap<SourceFile, Map<string, Mapping>>();

/** Parses a mapping, unless the file has the same text before it: many streams of an API share their mappings. */
function parseMappingOnce(source: SourceText, report: Report): Mapping | undefined {
  const { text, file } = source;
  const known = firstMappings.get(file) ?? new Map<string, Mapping>();
  firstMappings.set(file, known);
  const first = known.get(text);
  if (first !== undefined) return repeatMapping(source, first);
  const mapping = parseMapping(source, report);
  if (mapping !== undefined && mapping.isPartial !== true && mapping.form !== "from")
    known.set(text, mapping);
  return mapping;
}

function readQuery(node: ScalarNode, { report }: ScalarPlace): FieldNode | undefined {
  const query = parseQuery(node.text, report);
  if (query !== undefined) warnOfEnvironment(node, query, report);
  return query && { kind: "Query", query, span: node.span };
}

function warnOfEnvironment({ text }: ScalarNode, script: MappingNode, report: Report): void {
  if (!text.text.includes("${")) return;
  // Search only up to the last brace: every `${` before it has a closing brace, so no search runs to the end of the
  // text.
  const closed = text.text
    .slice(0, text.text.lastIndexOf("}") + 1)
    .replace(comment, (line, code: string) => code + " ".repeat(line.length - code.length));
  const found = [...closed.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_.]*)(?::[^}]*)?\}/g)];
  const ofGroups = found.length === 0 ? [] : replacementsIn(script);
  for (const { 0: written, 1: name = "", index } of found) {
    if (ofGroups.some(({ start, end }) => start <= index && index < end)) continue;
    report("GW4024", spanOf(text, index, index + written.length), { name });
  }
}

/** A line with a comment: its code, with texts that may contain `#`, and the comment. */
const comment = /^([^"#\n]*(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"[^"#\n]*)*)#.*$/gm;

/** Returns the spans of texts in which `${name}` is a group of a regular expression. */
function replacementsIn(script: MappingNode): readonly Span[] {
  const found: Span[] = [];
  walk(script, {
    MethodCall({ name, args }) {
      if (name.text.startsWith("re_replace")) found.push(...args.map(({ value }) => value.span));
    },
  });
  return found;
}

function readText(node: ScalarNode, value: string, place: ScalarPlace): FieldNode | undefined {
  if (node.isContent === true) return readPlain(node, value, place);
  const interpolation = value.indexOf("${!");
  if (interpolation !== -1) {
    const close = value.indexOf("}", interpolation);
    const end = close === -1 ? value.length : close + 1;
    place.report("GW4021", spanOf(node.text, interpolation, end), { field: place.name });
    return undefined;
  }
  if (mentionsEnvironment(value)) return readEnvironment(node, place);
  const role = place.schema["x-resource"];
  if (role !== undefined && !isDuration(value, place.schema)) {
    const mayBeDuration = place.schema["x-unit"] === "duration";
    return { kind: "Resource", role, label: value, mayBeDuration, span: node.span };
  }
  return readPlain(node, value, place);
}

/** Whether a text is a duration in a field that also accepts labels: labels begin with a letter or `_`. */
function isDuration(value: string, schema: Schema): boolean {
  return schema["x-unit"] === "duration" && !/^\p{L}|^_/u.test(value);
}

function readPlain(node: ScalarNode, value: string, place: ScalarPlace): FieldNode | undefined {
  const { schema } = place;
  if (!acceptsType(schema, value)) return undefined;
  if (schema["x-unit"] !== "duration") {
    // Offsets only refer to the source if nothing in it was replaced.
    const text = node.text.text === value ? { text: node.text } : {};
    return { kind: "Literal", value, span: node.span, ...text };
  }
  const milliseconds = value === "" && schema["x-empty"] === true ? 0 : parseDuration(value);
  if (milliseconds !== undefined) {
    const [most, longest] = schema["x-dates"] === true ? [tenYears, "87600h"] : [longestTimer, "596h"];
    if (milliseconds >= 0 && milliseconds <= most) return { kind: "Duration", milliseconds, span: node.span };
    place.report("GW4044", node.span, { field: place.name, value, longest });
    return undefined;
  }
  reportDuration(node, value, place.report);
  return undefined;
}

/** Reports an invalid unit at its own place; reports the whole text if it has no amount with a unit. */
function reportDuration(node: ScalarNode, value: string, report: Report): void {
  const elsewhere = durationElsewhere(value);
  if (elsewhere !== undefined) {
    const correction = { span: node.span, text: elsewhere };
    report("GW4020", node.span, { value, unit: undefined, closest: elsewhere, correction });
    return;
  }
  for (const match of value.matchAll(/[\d.]\s*(\p{L}+)/gu)) {
    const unit = match[1] ?? "";
    if (durationUnits.includes(unit) || unit === "µs") continue;
    const start = match.index + match[0].length - unit.length;
    const closest = suggestUnit(unit);
    const correction = correctDuration(node, value);
    report("GW4020", spanOf(node.text, start, start + unit.length), { value, unit, closest, correction });
    return;
  }
  report("GW4020", node.span, { value, unit: undefined, closest: undefined });
}

/** Returns a duration in the notation of ISO 8601 (`PT1M30S`, `P1D`) or of a clock (`00:01:30`) as it is written here. */
function durationElsewhere(value: string): string | undefined {
  const iso =
    /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/i.exec(
      value,
    );
  const clock = /^(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)$/.exec(value);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (
    iso?.slice(1) ?? ["0", "0", ...(clock?.slice(1) ?? [])]
  ).map((amount) => Number(amount ?? 0));
  const amounts = [
    [weeks * 168 + days * 24 + hours, "h"],
    [minutes, "m"],
    [seconds, "s"],
  ] as const;
  const written = amounts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount}${unit}`])).join("");
  return written !== "" && parseDuration(written) !== undefined ? written : undefined;
}

/** The maximum number of characters of a text that may be meant as a duration. */
const longestDuration = 100;

/** Corrects `1 min 30 secs` to `1m30s` if every unit is a word for a supported one. */
function correctDuration(node: ScalarNode, value: string): Edit | undefined {
  if (value.length > longestDuration) return undefined;
  let isKnown = true;
  const text = value.replace(/\s*(\p{L}+)\s*/gu, (_, unit: string) => {
    const known = durationUnits.includes(unit) ? unit : findUnit(unit);
    if (known === undefined) isKnown = false;
    return known ?? unit;
  });
  const isCorrect = isKnown && parseDuration(text) !== undefined;
  return isCorrect ? { span: node.span, text } : undefined;
}

/**
 * Returns the unit whose word alone begins with this text (`seconds`, `sec`, `mins`); otherwise the most similar one.
 */
function suggestUnit(unit: string): string | undefined {
  return findUnit(unit) ?? suggest(unit, durationUnits);
}

const unitWords = ["nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours"];

/** Abbreviations that are not prefixes of the words. */
const shortUnits: Readonly<Record<string, string>> = { hr: "h", msec: "ms", usec: "us", nsec: "ns" };

function findUnit(unit: string): string | undefined {
  const word = unit.toLowerCase().replace(/(?<=..)s$/, "");
  if (word.length < 2) return undefined;
  const found = unitWords.flatMap((name, index) => (name.startsWith(word) ? [durationUnits[index]] : []));
  return shortUnits[word] ?? (found.length === 1 ? found[0] : undefined);
}

function readEnvironment(node: ScalarNode, place: ScalarPlace): FieldNode {
  const parts = parseEnvironment(node.text, place.report);
  const only = parts[0];
  if (parts.every((part) => part.kind === "Text")) {
    return { kind: "Literal", value: only?.kind === "Text" ? only.text : "", span: node.span };
  }
  const field: EnvironmentField = {
    kind: "Environment",
    type: environmentType(place.schema),
    parts,
    limit: limitOf(place.schema),
    encoded: readEncodedText(parts, place.schema["x-encoded"]),
    span: node.span,
  };
  checkDefaults(field, place.report);
  if (field.type !== "list" || !parts.some(({ kind }) => kind === "Request")) return field;
  // The value of a request is one item, whatever it contains.
  return { kind: "List", items: [{ ...field, type: "string", isSplit: true }], span: node.span };
}

function environmentType(schema: Schema): EnvironmentField["type"] {
  if (schema["x-unit"] === "duration") return "duration";
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  if (types.includes("string")) return "string";
  for (const type of ["integer", "number", "boolean"] as const) if (types.includes(type)) return type;
  return types.includes("array") ? "list" : "string";
}

function checkDefaults(field: EnvironmentField, report: Report): void {
  const written = textOfDefaults(field.parts);
  if (written === undefined || fits(field.type, written)) return;
  const expected = field.type === "integer" ? "integer" : field.type;
  report("GW4023", field.span, { written, expected });
}

function fits(type: EnvironmentField["type"], text: string): boolean {
  switch (type) {
    case "integer":
      return /^[+-]?\d+$/.test(text);
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text));
    case "boolean":
      return text === "true" || text === "false";
    case "duration":
      return parseDuration(text) !== undefined;
    case "string":
    case "list":
      return true;
  }
}

/** Whether the schema accepts a value of that type. A schema without types accepts all. */
function acceptsType(schema: Schema, value: ScalarNode["value"]): boolean {
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (types === undefined) return true;
  if (value === null) return types.includes("null");
  if (typeof value === "bigint") return types.includes("integer") || types.includes("number");
  if (typeof value === "number") {
    return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
  }
  return types.includes(typeof value === "string" ? "string" : "boolean");
}

/** Returns the value of an interpolated text; `undefined` if a query in it does not parse. */
function readTemplateField(
  node: ScalarNode,
  { report, schema }: { readonly report: Report; readonly schema: Schema },
): FieldNode | undefined {
  const { span } = node;
  const template = parseTemplate(node.text, report);
  if (template === undefined) return undefined;
  const parts = template.parts.flatMap((part): TemplateField["parts"] =>
    part.kind === "QueryPart" ? [part] : splitText(template, part, report),
  );
  if (parts.some((part) => part.kind === "QueryPart"))
    return {
      kind: "Template",
      template,
      parts,
      limit: limitOf(schema),
      encoded: readEncodedText(parts, schema["x-encoded"]),
      span,
    };
  const fixed = parts.filter((part) => part.kind !== "QueryPart");
  if (fixed.some((part) => part.kind !== "Text")) {
    return {
      kind: "Environment",
      type: "string",
      parts: fixed,
      limit: limitOf(schema),
      encoded: readEncodedText(fixed, schema["x-encoded"]),
      span,
    };
  }
  const value = fixed.map((part) => (part.kind === "Text" ? part.text : "")).join("");
  return { kind: "Literal", value, span };
}

/** Returns the environment references of a text part. Escapes that were already decoded lose their exact columns. */
function splitText(template: Template, part: TextPart, report: Report): readonly EnvironmentPart[] {
  const { start, end } = part.span;
  if (part.text === template.source.text.slice(start, end)) {
    return parseEnvironment(template.source, report, start, end);
  }
  const offsets = Array.from({ length: part.text.length + 1 }, () => start);
  return parseEnvironment(createEmbeddedText(template.source, part.text, offsets), report);
}

type Part = EnvironmentPart | QueryPart;

/** Returns `undefined` if nothing is encoded: the text is of another kind, or all of it is fixed. */
function readEncodedText(parts: readonly Part[], encoding: Encoding | undefined): EncodedText | undefined {
  if (encoding === undefined) return undefined;
  const origins = parts.map(originOfPart);
  return origins.every((origin) => origin === "fixed") ? undefined : { as: encoding, origins };
}

/**
 * Returns the origin of a part. The whole query of a request is already encoded, but only counts as such in a query.
 */
function originOfPart(part: Part, index: number, parts: readonly Part[]): ValueOrigin {
  if (part.kind === "QueryPart") return originOf(part.query);
  if (part.kind !== "Request") return "fixed";
  if (part.source === "context" && part.name === "path") return "requestPath";
  const isInQuery = parts.slice(0, index).some((each) => each.kind === "Text" && each.text.includes("?"));
  return part.source === "context" && part.name === "request_data" && isInQuery ? "queryEscaped" : "value";
}
