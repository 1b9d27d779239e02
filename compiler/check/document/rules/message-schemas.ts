// Checks `schema:` of components: the keywords of JSON Schema must have values of the right kind. Other contents of a
// schema are not checked here.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest, suggest, suggestType, typeNames } from "../../../diagnostics/suggest.ts";
import { optionsNamed } from "../../../model/options.ts";
import { SchemaModel } from "../../../model/schema-model.ts";
import { entriesOf, itemsOf, type WrittenText } from "../../../model/written.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findText,
  type MapEntry,
  type ScalarNode,
} from "../../../trees/document.ts";
import { meantProperty } from "../../../value-types/json-schema/read/objects.ts";
import { findSchemaFault, meantFormat } from "../../schema-texts.ts";

/** Reports each keyword of a component's `schema` whose value is not valid in JSON Schema. */
export function checkMessageSchema({ schema }: ComponentNode, report: Report): void {
  if (schema !== undefined) checkSchema(schema, report);
}

/** Reports each keyword of a schema, and of the schemas in it, whose value is not valid in JSON Schema. */
export function checkSchema(node: DocumentNode, report: Report): void {
  if (node.kind !== "map") return;
  let due = 0;
  let taken: ReadonlySet<string> | undefined;
  for (const entry of node.entries) {
    const { key } = entry;
    const check = keywords.get(key);
    if (check !== undefined) check(entry, report);
    else if (!key.startsWith("x-") && !otherKeywords.has(key)) {
      taken ??= new Set(node.entries.map((each) => each.key));
      checkKeyword(entry, taken, report);
    }
    due |= combinedByKeyword.get(key) ?? 0;
  }
  if (due === 0) return;
  const schema = new SchemaModel(node);
  for (const { bit, check } of combined) if ((due & bit) !== 0) check(schema, report);
}

/** Keywords that say something about values of these types only. */
interface KeywordsOfTypes {
  readonly own: readonly string[];
  readonly names: readonly string[];
}

const keywordsOfTypes: readonly KeywordsOfTypes[] = [
  { own: ["string"], names: ["minLength", "maxLength", "pattern"] },
  { own: ["number", "integer"], names: ["minimum", "maximum", "multipleOf"] },
  { own: ["array"], names: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"] },
  { own: ["object"], names: ["properties", "patternProperties", "minProperties", "maxProperties"] },
];

/** The places of these keywords in `keywordsOfTypes`. */
const typesOfKeywords: ReadonlyMap<string, number> = new Map(
  keywordsOfTypes.flatMap(({ names }, index) => names.map((name) => [name, index] as const)),
);

/** Reports the first keyword of a schema that says nothing about values of its types. */
function checkApplicable(schema: SchemaModel, report: Report): void {
  const types = writtenTypes(schema);
  if (types.length === 0) return;
  let first = keywordsOfTypes.length;
  let found: MapEntry | undefined;
  for (const entry of entriesOf(schema.node)) {
    const index = typesOfKeywords.get(entry.key) ?? first;
    if (index >= first || keywordsOfTypes[index]?.own.some((type) => types.includes(type))) continue;
    first = index;
    found = entry;
  }
  const own = keywordsOfTypes[first]?.own;
  if (found !== undefined && own !== undefined)
    report("GW4292", found.keySpan, { keyword: found.key, types, own });
}

/** Reports a variant of `oneOf` that is listed twice: a value that fits it fits two. */
function checkVariants(schema: SchemaModel, report: Report): void {
  const seen = new Map<string, WrittenText>();
  for (const item of schema.parts("oneOf")) {
    const { reference } = new SchemaModel(item);
    if (reference === undefined) continue;
    const { text } = reference;
    const other = seen.get(text);
    if (other === undefined) seen.set(text, reference);
    else
      report(
        "GW4293",
        reference.span,
        { what: `\`oneOf\` lists \`${text}\``, effect: "no value fits exactly one" },
        {
          span: other.span,
          message: "The other one is here.",
        },
      );
  }
}

/** Reports a format that resembles a known one: an unknown format validates nothing. */
function checkFormatName({ format }: SchemaModel, report: Report): void {
  const closest = format && meantFormat(format.text);
  if (format !== undefined && closest !== undefined)
    report("GW4093", format.span, { keyword: format.text, isFormat: true, closest, respelling: "unsure" });
}

/** Keywords for lower bounds, and those for the upper bounds that they must not exceed. */
const bounds: readonly { readonly lower: string; readonly upper: string }[] = [
  { lower: "minimum", upper: "maximum" },
  { lower: "minLength", upper: "maxLength" },
  { lower: "minItems", upper: "maxItems" },
  { lower: "minProperties", upper: "maxProperties" },
];

/** Reports bounds that exclude every value. */
function checkBounds({ node }: SchemaModel, report: Report): void {
  for (const { lower, upper } of bounds) {
    const least = findEntry(node, lower);
    const low = amountOf(least?.value);
    const high = amountOf(findEntry(node, upper)?.value);
    if (least === undefined || low === undefined || high === undefined || low <= high) continue;
    const limits = { field: lower, other: upper, value: String(low), limit: String(high) };
    report("GW4084", least.value.span, limits);
  }
}

/**
 * Reports values of `enum` and `default` that no message can have because other keywords of the schema exclude them.
 */
function checkChoices(schema: SchemaModel, report: Report): void {
  const types = writtenTypes(schema);
  const { enum: choices, type, default: fallback } = schema;
  const seen = new Set<unknown>();
  if (choices?.kind === "list" && choices.items.length === 0)
    report("GW4132", choices.span, { fault: "empty", value: "" });
  const items = itemsOf(choices);
  const isNoneRight = items.length > 1 && items.every((item) => item.kind === "scalar" && !fits(item, types));
  if (type !== undefined && isNoneRight) {
    report("GW4132", type.span, { fault: "none-fits", value: "", types });
    return;
  }
  for (const item of items) {
    if (item.kind !== "scalar") return;
    const value = String(item.value);
    if (seen.has(item.value)) report("GW4132", item.span, { fault: "twice", value });
    else if (!fits(item, types)) report("GW4132", item.span, { fault: "type", value, types });
    seen.add(item.value);
  }
  if (fallback?.kind !== "scalar") return;
  const value = String(fallback.value);
  // Generators write `default: null` for "no default".
  if (fallback.value === null) return;
  if (!fits(fallback, types)) report("GW4132", fallback.span, { fault: "type", value, types });
  else if (seen.size > 0 && !seen.has(fallback.value)) {
    const closest = suggest(value, [...seen].map(String));
    report("GW4132", fallback.span, { fault: "none-of-them", value, closest });
  } else {
    const keyword = schema.boundExceededBy(fallback.value);
    if (keyword !== undefined) report("GW4132", fallback.span, { fault: "bound", value, keyword });
  }
}

/** Returns the types that a schema allows; an empty list (all types) if it names none, or one that does not exist. */
function writtenTypes({ types, nullable }: SchemaModel): readonly string[] {
  if (!types.every((name) => typeNames.includes(name))) return [];
  return nullable === undefined ? types : [...types, "null"];
}

function fits({ value }: ScalarNode, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  if (value === null) return types.includes("null");
  if (typeof value !== "number" && typeof value !== "bigint") return types.includes(typeof value);
  return types.includes("number") || (types.includes("integer") && Number.isInteger(Number(value)));
}

/**
 * Reports a required name that no message has: it resembles one of the properties, or the schema allows no other than
 * these.
 */
function checkRequired({ required, isClosed, properties: declared }: SchemaModel, report: Report): void {
  if (required.length === 0) return;
  const properties = new Set(declared.map(({ key }) => key));
  const names = new Set(required.map((item) => findText(item)));
  for (const item of required) {
    const name = findText(item);
    if (name === undefined || properties.has(name)) continue;
    const { closest, respelling } = meantProperty(name, properties, names) ?? {};
    if (isClosed || (closest !== undefined && respelling === "sure"))
      report("GW4098", item.span, { name, closest, respelling });
  }
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

type KeywordCheck = (entry: MapEntry, report: Report) => void;

const isSchema: KeywordCheck = ({ key, value }, report) => {
  if (isOneSchema(value)) checkSchema(value, report);
  else tell(key, "a schema", value, report);
};

/** Accepts one schema for all items; drafts before 2020-12 also allow a list with one schema for each item. */
const isSchemaOrList: KeywordCheck = (entry, report) => {
  if (entry.value.kind === "list") areSchemas(entry, report);
  else isSchema(entry, report);
};

const areSchemas: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "list" || value.items.length === 0) tell(key, "an array of schemas", value, report);
  else for (const item of value.items) isSchema({ key, keySpan: item.span, value: item }, report);
};

const areNamedSchemas: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "map") tell(key, "an object of schemas by name", value, report);
  else for (const entry of value.entries) isSchema(entry, report);
};

const isType: KeywordCheck = ({ key, value }, report) => {
  const names = value.kind === "list" ? value.items : [value];
  if (names.length === 0) tell(key, "at least one type", value, report);
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
  if (!isRight) tell(key, "an array of names", value, report);
};

const isList: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "list") tell(key, "a list", value, report);
};

const areNamesByName: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "map") tell(key, "an object of arrays of names", value, report);
  else for (const entry of value.entries) areNames(entry, report);
};

const isFlag: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "scalar" || typeof value.value !== "boolean") tell(key, "a boolean", value, report);
};

const isPattern: KeywordCheck = ({ key, value }, report) => {
  // No text begins before the slash or ends after it, so the pattern matches nothing.
  const text = findText(value);
  if (text?.startsWith("/^") === true || text?.endsWith("$/") === true)
    return tell(key, "a regular expression without slashes around it", value, report);
  if (value.kind !== "scalar" || typeof value.value !== "string" || !isRegularExpression(value.value))
    tell(key, "a regular expression", value, report);
};

const isText: KeywordCheck = ({ key, value }, report) => {
  if (value.kind !== "scalar" || typeof value.value !== "string") tell(key, "a string", value, report);
};

const isNumber: KeywordCheck = ({ key, value }, report) => {
  if (!isAmount(value)) tell(key, "a number", value, report);
};

/** Accepts a number; in OpenAPI 3.0 also `true` next to `minimum`. */
const isLimit: KeywordCheck = ({ key, value }, report) => {
  const isFlag = value.kind === "scalar" && typeof value.value === "boolean";
  if (!isFlag && !isAmount(value)) tell(key, "a number", value, report);
};

const isCount: KeywordCheck = ({ key, value }, report) => {
  const isWhole =
    value.kind === "scalar" &&
    isAmount(value) &&
    Number.isInteger(Number(value.value)) &&
    Number(value.value) >= 0;
  if (!isWhole) tell(key, "an integer of at least 0", value, report);
};

function isAmount(value: DocumentNode): boolean {
  return value.kind === "scalar" && (typeof value.value === "number" || typeof value.value === "bigint");
}

function amountOf(value: DocumentNode | undefined): number | undefined {
  return value?.kind === "scalar" && isAmount(value) ? Number(value.value) : undefined;
}

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

function tell(keyword: string, expected: string, value: DocumentNode, report: Report): void {
  // An unquoted `$ref: #/components/schemas/Order` has a YAML comment as its value.
  const isComment = keyword === "$ref" && value.kind === "scalar" && value.value === null;
  report("GW4092", value.span, { keyword, expected, closest: undefined, isComment });
}

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

/** Checks a schema by several of its keywords. */
type CombinedCheck = (schema: SchemaModel, report: Report) => void;

/** The checks of several keywords, each with those without which it reports nothing, and a bit of its own. */
const combined: readonly {
  readonly bit: number;
  readonly check: CombinedCheck;
  readonly names: readonly string[];
}[] = [
  { bit: 1, check: checkRequired, names: ["required"] },
  { bit: 2, check: checkBounds, names: bounds.map(({ lower }) => lower) },
  { bit: 4, check: checkChoices, names: ["enum", "default"] },
  { bit: 8, check: checkFormatName, names: ["format"] },
  { bit: 16, check: checkApplicable, names: keywordsOfTypes.flatMap(({ names }) => names) },
  { bit: 32, check: checkVariants, names: ["oneOf"] },
];

/** The bits of the combined checks of each keyword. */
const combinedByKeyword = new Map<string, number>();
for (const { bit, names } of combined)
  for (const name of names) combinedByKeyword.set(name, (combinedByKeyword.get(name) ?? 0) | bit);

const validatorOptions = optionsNamed(["schema"]);

/** Reports a schema that cannot validate messages. */
export function checkJsonSchema(component: ComponentNode, report: Report): void {
  const schema = validatorOptions(component)?.schema;
  if (schema?.value === undefined || schema.text === undefined || schema.text === "") return;
  const reason = findSchemaFault(schema.text);
  if (reason !== undefined) report("GW4150", schema.value.span, { reason });
}
