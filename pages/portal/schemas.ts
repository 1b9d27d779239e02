// Reads JSON Schemas in documents from any source, which may be invalid or recursive.

import { t } from "./messages.ts";

/** A part of a document, of any shape. */
export type Part = Readonly<Record<string, unknown>>;

/** Maximum number of references that are followed one after the other. */
const mostSteps = 8;
/** Maximum number of values in a sample: schemas may branch endlessly. */
const mostValues = 200;

/** Returns the value if it is an object, otherwise an empty object. */
export function partOf(value: unknown): Part {
  return typeof value === "object" && value !== null ? (value as Part) : {};
}

/** Returns the objects of a list. */
export function partsOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.map(partOf) : [];
}

/** Returns the value if it is a text, otherwise an empty text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Resolves references within the document. */
export function resolvePart(root: Part, value: unknown, steps = 0): Part {
  const part = partOf(value);
  if (typeof part.$ref !== "string" || steps >= mostSteps) return part;
  const names = part.$ref.replace(/^#\//, "").split("/");
  const found = names.reduce<unknown>((at, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(partOf(at), key) ? partOf(at)[key] : undefined;
  }, root);
  return resolvePart(root, found, steps + 1);
}

/** Returns the last part of a reference, such as `Order`; empty if there is none. */
export function referenceName(value: unknown): string {
  return textOf(partOf(value).$ref).split("/").at(-1) ?? "";
}

/** Returns the type of a schema in a word or two. */
export function typeOf(schema: Part): string {
  const { type, format, enum: choices } = schema;
  const isObject = schema.properties !== undefined;
  const name = Array.isArray(type) ? type.join(" or ") : textOf(type) || (isObject ? "object" : "any");
  const values = Array.isArray(choices) ? `: ${choices.map(String).join(", ")}` : "";
  const fixed = schema.const === undefined ? "" : `: ${JSON.stringify(schema.const)}`;
  return `${name}${typeof format === "string" ? ` (${format})` : ""}${values}${fixed}`;
}

const limits = [
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
] as const;

/** Returns the constraints of a schema in addition to its type, in words. */
export function limitsOf(schema: Part): readonly string[] {
  return limits.flatMap((keyword) => {
    const value = schema[keyword];
    return typeof value === "number" || typeof value === "string" ? [t(`docs.${keyword}`, { value })] : [];
  });
}

/** Returns a sample value for a schema, limited in size. */
export function sampleOf(root: Part, given: unknown): unknown {
  const budget = { left: mostValues };
  const make = (value: unknown, above: readonly Part[]): unknown => {
    const schema = resolvePart(root, value);
    budget.left -= 1;
    // A recursive schema is not expanded again.
    if (budget.left < 0 || above.includes(schema)) return null;
    const { example, default: preset, const: fixed, examples, enum: choices } = schema;
    const known = [example, preset, fixed, ...listOf(examples), ...listOf(choices)].find(
      (each) => each !== undefined,
    );
    if (known !== undefined) return known;
    const inside = [...above, schema];
    const [first] = [...partsOf(schema.oneOf), ...partsOf(schema.anyOf)];
    if (first !== undefined) return make(first, inside);
    const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
    const parts = [schema, ...partsOf(schema.allOf).map((each) => resolvePart(root, each))];
    const properties = parts.flatMap((each) => Object.entries(partOf(each.properties)));
    if (type === "object" || properties.length > 0)
      return Object.fromEntries(properties.map(([name, each]) => [name, make(each, inside)]));
    if (type === "array") return Array.isArray(schema.items) ? [] : [make(schema.items, inside)];
    return type === "integer" || type === "number"
      ? 0
      : type === "boolean"
        ? false
        : type === "null"
          ? null
          : "text";
  };
  return make(given, []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
