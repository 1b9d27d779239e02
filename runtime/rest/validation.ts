// Validates requests against the schemas of their operation.

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { refusal } from "./answers.ts";
import type { Body, ObjectSchema, RestParameter } from "./operation.ts";

/** Faults of one body, as many as are reported. */
const mostErrors = 20;

/** Holds bodies against schemas, each compiled once. */
export class Validation {
  // Unknown fields are left out. Schemas are ours, so strictness would find nothing; formats only describe what
  // the server writes.
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    removeAdditional: true,
    validateFormats: false,
  });
  readonly #compiled = new Map<ObjectSchema, ValidateFunction>();

  /** The body that a text holds. Throws a `refusal`: 400 for what is not JSON, 422 where its types are wrong. */
  readBody(text: string, { record, isOptional = false }: Body<unknown>): unknown {
    if (text === "" && isOptional) return {};
    const body = withoutServersOwn(parseObject(text), record.schema);
    const check = this.#compiled.get(record.schema) ?? this.#ajv.compile(record.schema);
    this.#compiled.set(record.schema, check);
    if (check(body)) return body;
    throw refusal(422, `${record.schema.title} object validation failed.`, tell(check.errors ?? []));
  }
}

/** PostgreSQL keeps every text but those with this character. */
function isUnstorable(text: string): boolean {
  return text.includes("\0");
}

/** Members that are called like what objects inherit from are dropped: no record has them. */
function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  let holdsNull = false;
  try {
    value = JSON.parse(text, (key, inner: unknown) => {
      holdsNull ||= isUnstorable(key) || (typeof inner === "string" && isUnstorable(inner));
      return key === "__proto__" ? undefined : inner;
    });
  } catch {
    throw refusal(400, "Request body malformed.");
  }
  if (holdsNull) throw refusal(422, "Request body holds the character U+0000.");
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw refusal(422, "Request body must be an object.");
}

/** Without what the server says itself, and without fields of no value, as clients print them that had none. */
function withoutServersOwn(body: Record<string, unknown>, { properties }: ObjectSchema): unknown {
  const known: Readonly<Record<string, unknown>> = { ...(typeof properties === "object" ? properties : {}) };
  const kept = Object.entries(body).filter(([name, value]) => value !== null && !isReadOnly(known[name]));
  return Object.fromEntries(kept);
}

function isReadOnly(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "readOnly" in schema && schema.readOnly === true;
}

function tell(errors: readonly ErrorObject[]): readonly string[] {
  return errors.slice(0, mostErrors).map(({ instancePath, keyword, params, message }) => {
    const path = instancePath.split("/").slice(1).map(unescapePointer);
    if (keyword === "required") return `${[...path, String(params.missingProperty)].join(".")}: is missing`;
    return `${path.join(".") || "body"}: ${message ?? "is wrong"}`;
  });
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The parameters of a query by their types. Throws a `refusal` (422) that names each that is wrong. */
export function readParameters(
  query: URLSearchParams,
  parameters: readonly RestParameter[] = [],
): ReadonlyMap<string, string | number | boolean> {
  const values = new Map<string, string | number | boolean>();
  const errors: string[] = [];
  for (const { name, schema } of parameters) {
    const [text, ...others] = query.getAll(name);
    if (text === undefined || (text === "" && others.length === 0)) continue;
    const value = others.length === 0 ? readValue(text, schema) : undefined;
    if (value === undefined) errors.push(`${name}: must be ${expected(schema)}`);
    else values.set(name, value);
  }
  if (errors.length > 0) throw refusal(422, "Query parameters validation failed.", errors);
  return values;
}

function readValue(text: string, schema: RestParameter["schema"]): string | number | boolean | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, enum: texts } = schema;
  if (type === "string") return texts?.includes(text) === false || isUnstorable(text) ? undefined : text;
  if (type === "boolean") return { true: true, false: false }[text];
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}

function expected({ type, minimum, maximum, enum: texts }: RestParameter["schema"]): string {
  if (texts !== undefined) return `one of ${texts.join(", ")}`;
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`up to ${maximum}`]),
  ];
  return ["one", type, ...bounds].join(" ");
}
