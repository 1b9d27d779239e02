// Checks keywords of a schema against each other: those that exclude every message, or what others of them allow, and those
// that say nothing.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest, typeNames } from "../../../diagnostics/suggest.ts";
import { SchemaModel } from "../../../model/schema-model.ts";
import { entriesOf, itemsOf, type WrittenText } from "../../../model/written.ts";
import {
  type DocumentNode,
  findEntry,
  findText,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../../../trees/document.ts";
import { meantProperty } from "../../../value-types/json-schema/read/objects.ts";
import { meantFormat } from "../../schema-texts.ts";

/** Returns the checks that a keyword of a schema makes due, as a set of bits for `checkTogether`. */
export function checksOf(keyword: string): number {
  return bitsOfKeywords.get(keyword) ?? 0;
}

/** Runs the checks of a schema that its keywords make due. */
export function checkTogether(node: MapNode, due: number, report: Report): void {
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

/** Returns the number that is written; `undefined` if something else is. */
export function amountOf(value: DocumentNode | undefined): number | undefined {
  if (value?.kind !== "scalar") return undefined;
  return typeof value.value === "number" || typeof value.value === "bigint" ? Number(value.value) : undefined;
}

/** Checks a schema by several of its keywords. */
type CombinedCheck = (schema: SchemaModel, report: Report) => void;

/** The checks, each with the keywords without which it reports nothing, and a bit of its own. */
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

/** The bits of these checks by keyword. */
const bitsOfKeywords = new Map<string, number>();
for (const { bit, names } of combined)
  for (const name of names) bitsOfKeywords.set(name, (bitsOfKeywords.get(name) ?? 0) | bit);
