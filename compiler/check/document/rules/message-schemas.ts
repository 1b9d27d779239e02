// Checks `schema:` of components: the keywords of JSON Schema must have values of the right kind. Other contents of a
// schema are not checked here.

import { type Report, watchReports } from "../../../diagnostics/sink.ts";
import { nearest, suggest, suggestType, typeNames } from "../../../diagnostics/suggest.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { type DocumentNode, findText, type MapEntry } from "../../../trees/document.ts";
import { wholeTextOf } from "../../../trees/document-text.ts";
import { findSchemaFault } from "../../schema-texts.ts";
import { amountOf, checksOf, checkTogether } from "./combined-keywords.ts";

/** Reports each keyword of a component's `schema` whose value is not valid in JSON Schema. */
export function checkMessageSchema({ schema }: ComponentNode, report: Report): void {
  if (schema !== undefined) checkSchema(schema, report);
}

/**
 * Reports each keyword of a schema, and of the schemas in it, whose value is not valid in JSON Schema. `sound`: texts of
 * schemas without mistakes, to which it adds; schemas in it with these texts are not read again.
 */
export function checkSchema(node: DocumentNode, report: Report, sound?: Set<string>): void {
  if (node.kind !== "map") return;
  let due = 0;
  let taken: ReadonlySet<string> | undefined;
  for (const entry of node.entries) {
    const { key } = entry;
    const check = keywords.get(key);
    if (check !== undefined) check(entry, report, sound);
    else if (!key.startsWith("x-") && !otherKeywords.has(key)) {
      taken ??= new Set(node.entries.map((each) => each.key));
      checkKeyword(entry, taken, report);
    }
    due |= checksOf(key);
  }
  if (due !== 0) checkTogether(node, due, report);
}

/** Keywords whose values are not checked here, including those of OpenAPI. */
const otherKeywords: ReadonlySet<string> = new Set([
  ...["$comment", "$vocabulary", "$recursiveAnchor", "const", "contentEncoding", "contentMediaType"],
  ...["contentSchema", "default", "dependencies", "deprecated", "description"],
  ...["discriminator", "example", "examples", "externalDocs", "id"],
  ...["nullable", "readOnly", "title", "writeOnly", "xml"],
]);

/** Reports an unknown keyword that resembles a known one. Others are allowed: they may belong to other tools. */
function checkKeyword({ key, keySpan }: MapEntry, taken: ReadonlySet<string>, report: Report): void {
  const meant = Object.hasOwn(otherNames, key) ? otherNames[key] : undefined;
  if (meant !== undefined && !taken.has(meant))
    report("GW4093", keySpan, { keyword: key, closest: meant, respelling: "unsure" });
  else if (suggest(key, knownKeywords) !== undefined)
    report("GW4093", keySpan, { keyword: key, ...nearest(key, knownKeywords, taken) });
}

/** Names that form builders and validators of programming languages use for keywords. */
const otherNames: Readonly<Record<string, string>> = {
  min: "minimum",
  max: "maximum",
  minlength: "minLength",
  maxlength: "maxLength",
  regex: "pattern",
  property: "properties",
  props: "properties",
  values: "enum",
  unique: "uniqueItems",
  oneof: "oneOf",
  anyof: "anyOf",
  allof: "allOf",
};

type KeywordCheck = (entry: MapEntry, report: Report, sound?: Set<string>) => void;

const isSchema: KeywordCheck = ({ key, value }, report, sound) => {
  if (!isOneSchema(value)) reportValue(key, "a schema", value, report);
  else if (sound === undefined) checkSchema(value, report);
  else checkRepeated(value, report, sound);
};

/** The maximum number of known texts: a large document repeats a few. */
const maximumSound = 10_000;

/** Like `checkSchema`, but does not read a schema with one of the texts. */
export function checkRepeated(schema: DocumentNode, report: Report, sound: Set<string>): void {
  const text = judgedText(schema);
  if (text !== undefined && sound.has(text)) return;
  const watched = watchReports(report);
  checkSchema(schema, watched.report, sound);
  if (!watched.hasReported() && text !== undefined && sound.size < maximumSound) sound.add(text);
}

/** Matches texts that no keyword is compared with: those for people, and the targets of references. */
const unjudged = /"(\$comment|\$ref|description|title)"\s*:\s*"[^"]*"/g;

/** Returns the text of a schema without what says nothing about its mistakes. */
function judgedText(schema: DocumentNode): string | undefined {
  const text = wholeTextOf(schema);
  // Two equal references in one list are a mistake.
  return text === undefined || text.includes('"oneOf"') ? text : text.replace(unjudged, '"$1":""');
}

/** Accepts one schema for all items; drafts before 2020-12 also allow a list with one schema for each item. */
const isSchemaOrList: KeywordCheck = (entry, report, sound) => {
  if (entry.value.kind === "list") areSchemas(entry, report, sound);
  else isSchema(entry, report, sound);
};

const areSchemas: KeywordCheck = ({ key, value }, report, sound) => {
  if (value.kind !== "list" || value.items.length === 0)
    reportValue(key, "an array of schemas", value, report);
  else for (const item of value.items) isSchema({ key, keySpan: item.span, value: item }, report, sound);
};

const areNamedSchemas: KeywordCheck = ({ key, value }, report, sound) => {
  if (value.kind !== "map") reportValue(key, "an object of schemas by name", value, report);
  else for (const entry of value.entries) isSchema(entry, report, sound);
};

const isType: KeywordCheck = ({ key, value }, report) => {
  const names = value.kind === "list" ? value.items : [value];
  if (names.length === 0) reportValue(key, "at least one type", value, report);
  for (const name of names) {
    if (name.kind === "scalar" && typeof name.value === "string" && typeNames.includes(name.value)) continue;
    // Without quotes, `null` is the YAML value instead of the name of a type.
    const isNull = name.kind === "scalar" && name.value === null && name.span.end > name.span.start;
    const written = isNull
      ? name.span.source.text.slice(name.span.start, name.span.end)
      : name.kind === "scalar" && typeof name.value === "string"
        ? name.value
        : undefined;
    const meant = isNull ? '"null"' : undefined;
    const closest = written === undefined ? undefined : (meant ?? suggestType(written));
    const expected = `one of ${typeNames.join(", ")}`;
    report("GW4092", name.span, { keyword: key, expected, written, closest });
  }
};

const areNames: KeywordCheck = ({ key, value }, report) => {
  const isRight =
    value.kind === "list" &&
    value.items.every((item) => item.kind === "scalar" && typeof item.value === "string");
  // `required: true` on a property is the notation of draft 3, which nothing reads any longer.
  if (!isRight) reportValue(key, "an array of names", value, report);
};

const isList: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "list") reportValue(key, "a list", value, report);
};

const areNamesByName: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "map") reportValue(key, "an object of arrays of names", value, report);
  else for (const entry of value.entries) areNames(entry, report);
};

const isFlag: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "scalar" || typeof value.value !== "boolean")
    reportValue(key, "a boolean", value, report);
};

const isPattern: KeywordCheck = ({ key, value }, report) => {
  // No text begins before the slash or ends after it, so the pattern matches nothing.
  const text = findText(value);
  if (text?.startsWith("/^") === true || text?.endsWith("$/") === true)
    return reportValue(key, "a regular expression without slashes around it", value, report);
  if (value.kind !== "scalar" || typeof value.value !== "string" || !isRegularExpression(value.value))
    reportValue(key, "a regular expression", value, report);
};

const isText: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "scalar" || typeof value.value !== "string") reportValue(key, "a string", value, report);
};

const isNumber: KeywordCheck = ({ key, value }, report) => {
  if (amountOf(value) === undefined) reportValue(key, "a number", value, report);
};

/** Accepts a number; in OpenAPI 3.0 also `true` next to `minimum`. */
const isLimit: KeywordCheck = ({ key, value }, report) => {
  const isFlag = value.kind === "scalar" && typeof value.value === "boolean";
  if (!isFlag && amountOf(value) === undefined) reportValue(key, "a number", value, report);
};

const isCount: KeywordCheck = ({ key, value }, report) => {
  const amount = amountOf(value);
  const isWhole = amount !== undefined && Number.isInteger(amount) && amount >= 0;
  if (!isWhole) reportValue(key, "an integer of at least 0", value, report);
};

function isOneSchema(value: DocumentNode): boolean {
  return value.kind === "map" || (value.kind === "scalar" && typeof value.value === "boolean");
}

/**
 * Whether JavaScript can read the text as a regular expression. Inline flags such as `(?i)` belong to other engines and
 * pass.
 */
export function isRegularExpression(text: string): boolean {
  if (/\(\?[a-z]/.test(text)) return true;
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function reportValue(keyword: string, expected: string, value: DocumentNode, report: Report): void {
  // An unquoted `$ref: #/components/schemas/Order` has a YAML comment as its value.
  const isComment = keyword === "$ref" && value.kind === "scalar" && value.value === null;
  const advice = adviceOn(keyword, value);
  report("GW4092", value.span, { keyword, expected, closest: undefined, isComment, advice });
}

/** Returns how to write the value of a keyword, if the written one shows what is meant. */
function adviceOn(keyword: string, value: DocumentNode): string | undefined {
  const isFlagged = value.kind === "scalar" && typeof value.value === "boolean";
  // The notation of draft 3, and of other languages of schemas.
  if (keyword === "required" && isFlagged)
    return "List the names of required properties in `required` of their object.";
  const text = findText(value);
  if (text === undefined || text.length > longestAdvised) return undefined;
  const check = keywords.get(keyword);
  if (check === areNames || check === isList)
    return `Write \`[${text
      .split(",")
      .map((each) => JSON.stringify(each.trim()))
      .join(", ")}]\`.`;
  const isAmount = check === isNumber || check === isLimit || check === isCount;
  const isLiteral = isAmount
    ? /^-?\d+(?:\.\d+)?$/.test(text)
    : check === isFlag && /^(?:true|false)$/.test(text);
  if (isLiteral) return `Remove the quotes: \`${text}\`.`;
  const named = typeNames.includes(text) ? text : suggestType(text);
  const isOfSchema = check === undefined || check === isSchema || check === isSchemaOrList;
  return isOfSchema && named !== undefined ? `Write \`{ "type": "${named}" }\`.` : undefined;
}

/** The length above which a text is not repeated in advice. */
const longestAdvised = 100;

const byCheck: readonly (readonly [check: KeywordCheck, ...names: string[]])[] = [
  [isType, "type"],
  [areNamedSchemas, "properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
  [isSchema, "additionalProperties", "unevaluatedProperties", "propertyNames", "contains", "not"],
  [isSchema, "unevaluatedItems", "if", "then", "else"],
  [isSchemaOrList, "items"],
  [areSchemas, "allOf", "anyOf", "oneOf", "prefixItems"],
  [areNames, "required"],
  [areNamesByName, "dependentRequired"],
  [isFlag, "uniqueItems"],
  [isList, "enum"],
  [isPattern, "pattern"],
  [isText, "$ref", "$dynamicRef", "$recursiveRef", "$schema", "$id", "$anchor", "$dynamicAnchor"],
  [isText, "format"],
  [isNumber, "minimum", "maximum", "multipleOf"],
  [isLimit, "exclusiveMinimum", "exclusiveMaximum"],
  [isCount, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  [isCount, "minContains", "maxContains"],
];

const keywords: ReadonlyMap<string, KeywordCheck> = new Map(
  byCheck.flatMap(([check, ...names]) => names.map((name) => [name, check] as const)),
);

const knownKeywords = [...keywords.keys(), ...otherKeywords];

const validatorOptions = optionsNamed(["schema"]);

/** Reports a schema that cannot validate messages. */
export function checkJsonSchema(component: ComponentNode, report: Report): void {
  const schema = validatorOptions(component)?.schema;
  if (schema?.value === undefined || schema.text === undefined || schema.text === "") return;
  const reason = findSchemaFault(schema.text);
  if (reason !== undefined) report("GW4150", schema.value.span, { reason });
}
