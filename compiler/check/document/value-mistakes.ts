// Describes the mistakes of a single value: its type, its range, its format.

import { resourceSections } from "../../../schemas/catalogue.ts";
import { parseDuration } from "../../../schemas/duration.ts";
import type { Schema, SchemaType } from "../../../schemas/schema.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type Nearest, nearest, quoteAll, suggest, withArticle } from "../../diagnostics/suggest.ts";
import { isJson, type Span, spanOf } from "../../source/source.ts";
import { coreDialect } from "../../trees/dialect.ts";
import type { DocumentNode, ListNode, MapEntry, MapNode, ScalarNode } from "../../trees/document.ts";
import type { ValuePlace } from "./located-value.ts";
import type { ShapeMistake } from "./validator.ts";
import { correctionOf } from "./written-text.ts";

/** Reports a value that its schema does not accept. */
export function reportValue(place: ValuePlace, mistake: ShapeMistake, report: Report): void {
  const { name: field, node } = place;
  const { schema } = mistake;
  // Objects of documents may have keys such as `toString`.
  const value = typeof mistake.value === "object" ? JSON.stringify(mistake.value) : String(mistake.value);
  switch (mistake.keyword) {
    case "type":
      reportType(place, schema, report);
      return;
    case "enum": {
      const allowed = (schema["x-supported"] ?? schema.enum ?? []).map(String);
      report("GW4013", node.span, { field, value, allowed, ...nearestChoice(value, allowed) });
      return;
    }
    case "minItems":
      report("GW4034", node.span, { field, least: schema.minItems ?? 1 });
      return;
    case "minimum":
    case "maximum":
      report("GW4014", node.span, { field, value, limits: limitsOf(schema) });
      return;
    default:
      report("GW4015", node.span, {
        field,
        value,
        expected: schema["x-expects"] ?? expectedOf(schema),
        example: meantText(value, schema) ?? exampleOf(schema),
      });
  }
}

/** Returns the most similar choice, or the only one that begins like the value or with it: `WARN` for `warning`. */
function nearestChoice(value: string, allowed: readonly string[]): Nearest {
  const near = nearest(value, allowed);
  if (near.closest !== undefined || value.length < 3) return near;
  const written = value.toUpperCase();
  const [only, ...others] = allowed.filter((each) => {
    const choice = each.toUpperCase();
    return choice.length >= 3 && (written.startsWith(choice) || choice.startsWith(written));
  });
  return only === undefined || others.length > 0 ? near : { closest: only, respelling: "unsure" };
}

/** Returns the valid text that a text of the wrong form stands for. */
function meantText(value: string, schema: Schema): string | undefined {
  const { pattern, "x-expects": expected = "" } = schema;
  const choices = Array.from(expected.matchAll(/`([^`]+)`/g), ([, choice = ""]) => choice);
  const isValid = (text: string) => pattern !== undefined && new RegExp(pattern, "u").test(text);
  const choice = suggest(value, choices);
  if (choice !== undefined && isValid(choice)) return choice;
  const underscored = value.replaceAll(/[-. ]/g, "_");
  const isName = expected.includes("`_`") && /[A-Za-z]/.test(value);
  if (isName && underscored !== value && isValid(underscored)) return underscored;
  // An e-mail address with the name of its owner.
  const [, address] = /<([^<>]+)>\s*$/.exec(value) ?? [];
  if (address !== undefined && isValid(address)) return address;
  return correctionOf(value, exampleOf(schema) ?? "", isValid);
}

/** Returns an example value from the schema. */
function exampleOf({ examples, default: fallback }: Schema): string | undefined {
  const example = examples?.[0] ?? fallback;
  return typeof example === "string" && example !== "" ? example : undefined;
}

function limitsOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `between ${minimum} and ${maximum}`;
  return minimum === undefined ? `at most ${maximum}` : `at least ${minimum}`;
}

function reportType({ node, name, nameSpan, environment }: ValuePlace, schema: Schema, report: Report): void {
  // An empty value has no text of its own, so the diagnostic points at its key.
  const span = node.span.end === node.span.start ? nameSpan : node.span;
  const found = environment === undefined ? describe(node) : "an environment reference";
  const { hint, meant } = (environment === undefined ? adviseType(node, name, schema) : undefined) ?? {};
  const correction = meant === undefined ? undefined : { span: withQuotes(node.span), text: meant };
  report("GW4012", span, { field: name, expected: expectedOf(schema), found, hint, correction });
}

/** Returns a source range with the quotes of a string. Source ranges of nodes exclude them. */
function withQuotes(span: Span): Span {
  const { source, start, end } = span;
  const quote = source.text.charAt(start - 1);
  const isQuoted = (quote === '"' || quote === "'") && source.text.charAt(end) === quote;
  return isQuoted ? spanOf(source, start - 1, end + 1) : span;
}

const typeWords: Readonly<Record<SchemaType, string>> = {
  null: "nothing",
  boolean: "`true` or `false`",
  integer: "an integer",
  number: "a number",
  string: "a string",
  array: "an array",
  object: "an object",
};

/** Whether the schema expects a duration: as a type of its own, or as a text that messages may fill. */
function isDuration(schema: Schema): boolean {
  return schema["x-unit"] === "duration" || schema["x-expects"]?.startsWith("a duration ") === true;
}

function expectedOf(schema: Schema): string {
  if (isDuration(schema)) return "a duration";
  if (schema["x-text"] === "mapping") return "a mapping";
  if (schema["x-text"] === "query") return "an expression";
  if (schema["x-component"] !== undefined) return `an object with ${withArticle(schema["x-component"])}`;
  return typesOf(schema)
    .map((type) => typeWords[type])
    .join(" or ");
}

function typesOf({ type }: Schema): readonly SchemaType[] {
  return typeof type === "string" ? [type] : (type ?? []);
}

function describe(node: DocumentNode): string {
  if (node.kind === "list") return "an array";
  if (node.kind === "map") return "an object";
  if (node.value === null) return "nothing";
  if (typeof node.value === "string")
    return node.value === "" ? "an empty string" : `the string \`${shorten(node.value)}\``;
  return typeof node.value === "boolean" ? `\`${node.value}\`` : `the number ${node.value}`;
}

function shorten(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 40 || line !== text ? `${line.slice(0, 40)}…` : line;
}

/** Returns advice for a value of a wrong type; `meant` is the text to replace it with. */
function adviseType(
  node: DocumentNode,
  name: string,
  schema: Schema,
): { hint: string; meant?: string } | undefined {
  const types = typesOf(schema);
  if (node.kind === "scalar" && node.value === null) {
    return {
      hint: types.includes("object")
        ? "Add its fields, indented below it."
        : "Add a value, or remove the key.",
    };
  }
  if (node.kind !== "scalar") return adviseLayout(node, name, schema);
  const written = writtenText(node);
  const isInJson = isJson(node.span.source.file);
  // A text that is mostly a duration, such as one that may also be a schedule.
  const isUsually = typeof node.value === "number" && parseDuration(exampleOf(schema) ?? "") !== undefined;
  if (isDuration(schema) || isUsually) {
    const time = `${written}${unitMeant(Number(written), schema)}`;
    return { hint: `Add a unit, such as \`${time}\`.`, meant: isInJson ? `"${time}"` : time };
  }
  if (types.includes("array") && typesOf(schema.items ?? {}).some(isOfScalars)) {
    const isText = typesOf(schema.items ?? {}).includes("string");
    const items = written.split(/ *, */).map((item) => (isText ? JSON.stringify(item) : item));
    const list = `[${items.join(", ")}]`;
    return { hint: `Write an array: \`${shorten(list)}\`.`, meant: list };
  }
  if (types.includes("boolean") && /^(?:yes|on|no|off)$/i.test(written)) {
    const meant = String(/^(?:yes|on)$/i.test(written));
    return { hint: `Write \`${meant}\`.`, meant };
  }
  const component = adviseComponent(written, schema);
  if (component !== undefined) return { hint: component };
  const block = blockFor(node.value, schema);
  if (block !== undefined)
    return { hint: `Write an object: \`${block}\`.`, ...(!isInJson && { meant: block }) };
  const seconds = unixSecondsMeant(written, schema);
  if (seconds !== undefined)
    return { hint: `Write the time in Unix seconds: \`${seconds}\`.`, meant: seconds };
  if ((types.includes("integer") || types.includes("number")) && /^\d+(?:\.\d+)? *[A-Za-z]+$/.test(written)) {
    const meant = numberMeant(written, schema);
    if (meant === undefined) return { hint: "Write a number without a unit." };
    return { hint: `Write a number without a unit: \`${meant}\`.`, meant };
  }
  if (types.includes("string")) {
    // In quotes, `true` would still not be an address, a choice or a path.
    if (schema.enum !== undefined && !schema.enum.includes(written))
      return { hint: `Use one of ${quoteAll((schema["x-supported"] ?? schema.enum).map(String))}.` };
    const isOther = typeof node.value === "boolean" && hasForm(schema);
    const example = exampleOf(schema);
    if (isOther) return example === undefined ? undefined : { hint: `Write it as \`${example}\`.` };
    const isFit = schema.pattern === undefined || new RegExp(schema.pattern, "u").test(written);
    const text = isFit ? written : meantText(written, schema);
    if (text !== undefined && text !== written)
      return { hint: `Write it as \`"${text}"\`.`, meant: `"${text}"` };
    return { hint: `Quote it: \`"${written}"\`.`, meant: `"${written}"` };
  }
  if (typeof node.value === "string" && fitsWithoutQuotes(written, types))
    return { hint: "Remove the quotes.", meant: written };
  return undefined;
}

/** Advises on a component that is only its name, or only the text of its mapping. */
function adviseComponent(text: string, { items, ...schema }: Schema): string | undefined {
  const role = schema["x-component"] ?? items?.["x-component"];
  if (role === undefined) return undefined;
  const key = schema["x-component"] === undefined ? "- " : "";
  const place = key === "" ? "" : ", on the next line,";
  if (coreDialect.components.find(role, text) !== undefined)
    return `Write \`${key}${text}:\`${place} and its value after it.`;
  const isMapping = role === "processor" && /^\s*(?:root|meta|let)\b[^\n=]*=/.test(text);
  return isMapping ? `Write \`${key}mapping:\` before it${place.replace(/,$/, "")}.` : undefined;
}

function isOfScalars(type: SchemaType): boolean {
  return type !== "array" && type !== "object" && type !== "null";
}

/** Advises how to write an object in place of an array, or an array in place of an object. */
function adviseLayout(node: ListNode | MapNode, name: string, schema: Schema): { hint: string } | undefined {
  const types = typesOf(schema);
  if (node.kind === "map") {
    const isOfObjects =
      schema.items?.["x-component"] !== undefined || typesOf(schema.items ?? {}).includes("object");
    if (!types.includes("array") || !isOfObjects) return undefined;
    const [only, ...others] = node.entries;
    // `fallback: { outputs: […] }`
    if (only?.value.kind === "list" && others.length === 0 && schema.items?.["x-component"] !== undefined)
      return { hint: `Remove \`${only.key}\`, and write its array in its place.` };
    const label = labelMeant(node, name, schema);
    if (label !== undefined) return { hint: `Write \`- label: ${label}\` in place of \`${label}:\`.` };
    const isInBrackets = node.span.source.text.charAt(node.span.start) === "{";
    return { hint: isInBrackets ? "Put it between `[` and `]`." : "Write `- ` before the first key." };
  }
  const { additionalProperties: each, properties = {}, "x-component": role } = schema;
  if (role === "input" || role === "output")
    return { hint: `Write a \`broker\` with these as its \`${role}s\`.` };
  const [list, ...others] = Object.keys(properties).filter((name) => properties[name]?.type === "array");
  if (types.includes("object") && list !== undefined && others.length === 0)
    return { hint: `Indent it below \`${list}\`.` };
  if (types.includes("object") && typeof each === "object" && node.items.some(({ kind }) => kind === "map"))
    return { hint: "Write a name and `:` in place of each `-`." };
  const [item, ...more] = node.items;
  if (more.length > 0) return undefined;
  if (types.includes("object") && item?.kind === "map")
    return { hint: "Write the object without the array around it." };
  return types.some(isOfScalars) && item?.kind === "scalar"
    ? { hint: "Write the value without the array around it." }
    : undefined;
}

/** Returns the first label of resources that are written under their labels: `cache_resources: { orders: { memory: {} } }`. */
function labelMeant({ entries }: MapNode, name: string, { items }: Schema): string | undefined {
  const role = items?.["x-component"];
  const sections: Readonly<Record<string, string>> = resourceSections;
  if (role === undefined || sections[role] !== name) return undefined;
  const isNamed = ({ key, value }: MapEntry) =>
    coreDialect.components.find(role, key) === undefined &&
    value.kind === "map" &&
    value.entries.some((inner) => inner.value.kind === "map");
  return entries.every(isNamed) ? entries[0]?.key : undefined;
}

/**
 * Returns the unit of a number that was written for a duration: the one that comes closer to the default or the example
 * of the field. Thousands are rather milliseconds; small numbers, and whole minutes such as 3600, rather seconds.
 */
function unitMeant(number: number, schema: Schema): "s" | "ms" {
  const usual = parseDuration(exampleOf(schema) ?? "") ?? 0;
  if (usual <= 0 || number <= 0) return number >= 1000 ? "ms" : "s";
  const farBy = (milliseconds: number) => Math.abs(Math.log10(milliseconds / usual));
  const isThousands = number % 1000 === 0;
  const forSeconds = isThousands ? -1 : number % 60 === 0 ? 2 : number < 1000 ? 1 : 0;
  return farBy(number) + forSeconds < farBy(number * 1000) ? "ms" : "s";
}

/** Whether a schema accepts only certain texts. */
function hasForm(schema: Schema): boolean {
  return ["x-format", "pattern", "enum"].some((keyword) => Object.hasOwn(schema, keyword));
}

/** Returns the value as it is written: `1.10` is a different text than its number. */
function writtenText({ value, span: { source, start, end } }: ScalarNode): string {
  const text = source.text.slice(start, end);
  return typeof value !== "string" && /^[\w.+-]+$/.test(text) ? text : String(value);
}

/**
 * Returns a block such as `{ value: /shop/ }` for a text that was written instead of an object with one field for it.
 */
function blockFor(value: unknown, { type, properties = {} }: Schema): string | undefined {
  if (type !== "object" && type !== undefined && !(Array.isArray(type) && type.includes("object")))
    return undefined;
  if (typeof value === "boolean" && properties.enabled?.type === "boolean") return `{ enabled: ${value} }`;
  if (typeof value !== "string") return undefined;
  if (value.startsWith("#/") && Object.keys(properties).length === 0) return `{ $ref: "${shorten(value)}" }`;
  const field = ["value", "url"].find((name) => properties[name]?.type === "string");
  return field && `{ ${field}: ${shorten(value)} }`;
}

const sizes: Readonly<Record<string, number>> = {
  k: 1000,
  kb: 1000,
  kib: 1024,
  mb: 1e6,
  mib: 1024 ** 2,
  gb: 1e9,
  gib: 1024 ** 3,
};

/** Matches the beginning of the description of a field with a number of seconds or milliseconds. */
export const unitWord: RegExp = /^(?:Seconds|Milliseconds)\b/;

/** Returns the Unix seconds that a date or a time means, if the field expects these. */
function unixSecondsMeant(written: string, { description = "" }: Schema): string | undefined {
  if (!/\bUnix seconds\b/.test(description) || !/^\d{4}-\d\d-\d\d/.test(written)) return undefined;
  const time = Date.parse(written);
  return Number.isNaN(time) ? undefined : String(Math.floor(time / 1000));
}

/** Returns the number that `2MB` means, or `60s` if the field counts seconds or milliseconds. */
function numberMeant(written: string, { description = "" }: Schema): string | undefined {
  const [unit] = unitWord.exec(description) ?? [];
  if (unit !== undefined) {
    const milliseconds = parseDuration(written.replaceAll(" ", ""));
    if (milliseconds === undefined) return undefined;
    return String(unit === "Seconds" ? milliseconds / 1000 : milliseconds);
  }
  const [, number, size = ""] = /^(\d+) *([A-Za-z]+)$/.exec(written) ?? [];
  const bytes = Object.hasOwn(sizes, size.toLowerCase()) ? sizes[size.toLowerCase()] : undefined;
  return bytes === undefined ? undefined : String(Number(number) * bytes);
}

function fitsWithoutQuotes(text: string, types: readonly SchemaType[]): boolean {
  if (types.includes("boolean")) return text === "true" || text === "false";
  if (types.includes("integer")) return /^-?\d+$/.test(text);
  return types.includes("number") && text.trim() !== "" && Number.isFinite(Number(text));
}
