import { isAbsentWhenEmpty, refusesZero } from "./empty-text.ts";
import { environmentReference } from "./environment-reference.ts";
import type { Schema, SchemaType } from "./schema.ts";

/** A property that any object may have: the compiler removes it before it checks the fields. */
const suppressionProperty = {
  "x-gw-ignore": {
    description: "Diagnostics of this object that are known and meant, each with the reason.",
    type: "array",
    items: {
      type: "object",
      properties: {
        code: { type: "string", description: "Code or name of the diagnostic, such as `GW4018`." },
        reason: { type: "string", description: "Why it is meant.", minLength: 1 },
      },
      required: ["code", "reason"],
    },
  },
} as const;

/** A JSON Schema as plain data. */
export type EditorSchema = { readonly [keyword: string]: unknown };

const duration = "^[+-]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|ms|s|m|h))+)$";

/**
 * Returns a schema with standard JSON Schema keywords only: annotations of this project become plain keywords, and
 * values that may be an environment reference accept one. Components refer to `$defs/<role>`.
 */
export function editorSchema(schema: Schema): EditorSchema {
  const description = schema.description === undefined ? {} : { description: schema.description };
  const role = schema["x-component"];
  if (role !== undefined) return { $ref: `#/$defs/${role}`, ...description };
  return withReference(schema, {
    ...(schema.title === undefined ? {} : { title: schema.title }),
    ...description,
    ...(schema.type === undefined ? {} : { type: schema.type }),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema.examples === undefined ? {} : { examples: schema.examples }),
    ...unlessOff(schema, { ...bounds(schema), ...contents(schema) }),
    ...(schema["x-alias"] === undefined ? {} : { deprecated: true }),
  });
}

/** Accepts any contents of a block that is switched off: the compiler checks none of them. */
function unlessOff({ properties }: Schema, checked: EditorSchema): EditorSchema {
  return properties?.enabled?.type === "boolean" ? { if: off, else: checked } : checked;
}

const off: EditorSchema = {
  type: "object",
  properties: { enabled: { const: false } },
  required: ["enabled"],
};

function bounds(schema: Schema): EditorSchema {
  const { minimum, maximum, minLength, minItems, pattern } = schema;
  const values = schema["x-supported"] ?? schema.enum;
  return {
    ...(values === undefined ? {} : { enum: values }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(schema["x-unit"] === "duration" && schema["x-resource"] === undefined && schema["x-empty"] !== true
      ? { pattern: duration }
      : {}),
  };
}

function contents(schema: Schema): EditorSchema {
  const { properties, items, additionalProperties: rest } = schema;
  const shorthand = schema["x-shorthand"];
  const fields = Object.entries(properties ?? {}).map(([name, each]) => {
    const isNeeded = schema.required?.includes(each["x-alias"] ?? name) === true;
    const isAbsent = isAbsentWhenEmpty(each) || (schema["x-written-out"] === true && refusesZero(each, ""));
    const mayBeEmpty = properties?.enabled !== undefined || (!isNeeded && isAbsent);
    const converted = mayBeEmpty ? orEmpty(editorSchema(each)) : editorSchema(each);
    return [
      name,
      schema["x-written-out"] === true && !isNeeded ? orUnset(converted, each) : converted,
    ] as const;
  });
  const isObject = properties !== undefined || typeof rest === "object";
  const listed = shorthand === undefined ? items : properties?.[shorthand]?.items;
  return {
    ...(isObject ? { properties: { ...Object.fromEntries(fields), ...suppressionProperty } } : {}),
    ...(isObject ? { patternProperties: { ...withoutEffect(schema), ...reference } } : {}),
    ...(rest === undefined
      ? {}
      : { additionalProperties: typeof rest === "object" ? editorSchema(rest) : rest }),
    ...(schema.required === undefined
      ? {}
      : { anyOf: [{ required: schema.required }, { required: ["$ref"] }] }),
    ...(listed === undefined ? {} : { items: editorSchema(listed) }),
    ...(shorthand === undefined ? {} : { type: ["object", "array"] }),
  };
}

/** Returns a schema that also accepts an empty text, which counts as absent. */
function orEmpty(converted: EditorSchema): EditorSchema {
  const { minLength, pattern, anyOf, enum: values, ...rest } = converted;
  if (values !== undefined) return { ...rest, anyOf: [{ enum: values }, { const: "" }] };
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...anyOf, { const: "" }] };
  return typeof pattern === "string" ? { ...rest, pattern: `^$|${pattern}` } : rest;
}

/** Returns a schema that also accepts the values that tools write for a field that is not set. */
function orUnset(converted: EditorSchema, schema: Schema): EditorSchema {
  const { type, enum: values, anyOf, ...rest } = converted;
  const { minimum, ...others } = rest;
  const mayBeNull = schema["x-allow-list"] !== true;
  const zeros = [0, false].filter((zero) => refusesZero(schema, zero));
  const unset = [...(mayBeNull ? [null] : []), ...zeros];
  const types = type === undefined ? {} : { type: [type, mayBeNull ? "null" : []].flat() };
  if (Array.isArray(anyOf)) return { ...rest, ...types, anyOf: [...anyOf, { enum: unset }] };
  if (values !== undefined) return { ...rest, ...types, anyOf: [{ enum: values }, { enum: unset }] };
  if (zeros.includes(0)) return { ...others, ...types, anyOf: [{ minimum }, { enum: unset }] };
  return { ...rest, ...types };
}

/** Returns patterns for fields without effect and for fields that must be empty. Editors suggest neither. */
function withoutEffect(schema: Schema): EditorSchema {
  const withoutEffect = Object.keys(schema["x-without-effect"] ?? {});
  const nothing = { $ref: schema["x-written-out"] === true ? "#/$defs/unset" : "#/$defs/nothing" };
  const empty = [...(schema["x-unsupported"] ?? []), ...Object.keys(schema["x-refused"] ?? {})];
  const entries = [
    ...(withoutEffect.length === 0 ? [] : [[`^(?:${withoutEffect.join("|")})$`, {}] as const]),
    ...(empty.length === 0 ? [] : [[`^(?:${empty.join("|")})$`, nothing] as const]),
  ];
  return Object.fromEntries(entries);
}

/** Any object may be a reference to another place in this file or in another one. */
export const reference: EditorSchema = {
  "^\\$ref$": { type: "string", description: "Where the value stands." },
};

/** Values of fields that are not supported: `nothing`, and `unset` where tools write out every field. */
export const valuesOfNothing: Readonly<Record<"nothing" | "unset", EditorSchema>> = {
  nothing: {
    description: "Not supported.",
    anyOf: [{ const: "" }, ...emptyContents("nothing"), { ...objectOf("nothing"), minProperties: 1 }],
  },
  unset: {
    description: "Not supported.",
    anyOf: [{ enum: ["", 0, false, null] }, ...emptyContents("unset"), objectOf("unset")],
  },
};

function emptyContents(name: string): readonly EditorSchema[] {
  return [{ type: "array", items: { $ref: `#/$defs/${name}` } }, off];
}

function objectOf(name: string): EditorSchema {
  return { type: "object", additionalProperties: { $ref: `#/$defs/${name}` } };
}

/** Allows a text with an environment reference in place of a value that is not text, or only certain texts. */
function withReference(schema: Schema, converted: EditorSchema): EditorSchema {
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  if (types.length === 0 || types.includes("object")) return converted;
  if (typeof converted.pattern === "string") {
    return { ...converted, pattern: `${converted.pattern}|${environmentReference}` };
  }
  if (converted.enum !== undefined) return enumOrReference(converted);
  const takesText: readonly SchemaType[] = ["string"];
  if (types.some((type) => takesText.includes(type))) return converted;
  const isNumber = types.includes("integer") || types.includes("number");
  const pattern = isNumber ? `${underscored}|${environmentReference}` : environmentReference;
  return { ...converted, type: [...types, "string"], pattern };
}

/** An integer with underscores between its digits, such as `5_000_000`, which YAML 1.2 parsers read as text. */
const underscored = "^[-+]?\\d+(?:_\\d+)+$";

function enumOrReference({ enum: values, type, ...rest }: EditorSchema): EditorSchema {
  return {
    ...rest,
    anyOf: [
      { type, enum: values },
      { type: "string", pattern: environmentReference },
    ],
  };
}
