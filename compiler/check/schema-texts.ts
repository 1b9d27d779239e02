// JSON Schemas as texts, their dialects and their formats: decides whether they can validate a message without other documents.

import { createRequire } from "node:module";
import { isSlip, partsOf } from "../diagnostics/suggest.ts";
import { isRecord } from "../value-types/records.ts";
import { whyNotRe2 } from "./regexp.ts";

const require = createRequire(import.meta.url);

const dialects: readonly RegExp[] = [
  /^https?:\/\/json-schema\.org\/(?:draft-0[467]\/)?schema$/,
  /^https?:\/\/json-schema\.org\/draft\/(?:2019-09|2020-12)\/schema$/,
  /^https?:\/\/spec\.openapis\.org\/oas\/3\.\d+\/(?:dialect\/[\w-]+|schema\/[\w-]+)$/,
];

/** Whether `$schema` names a dialect whose keywords are known. */
export function isDialect(name: string): boolean {
  const bare = name.replace(/#$/, "");
  return dialects.some((dialect) => dialect.test(bare));
}

/**
 * Formats of JSON Schema and OpenAPI, suggested for names that resemble them; any other name is the author's own
 * format.
 */
const formatNames: readonly string[] = [
  ...[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "url",
    "uuid",
  ],
  ...["regex", "json-pointer", "int32", "int64", "float", "double", "byte", "binary", "password"],
];

/** Names of these formats in other languages. */
const otherFormats: ReadonlyMap<string, string> = new Map([
  ["datetime", "date-time"],
  ["timestamp", "date-time"],
  ["guid", "uuid"],
  ["mail", "email"],
  ["emailaddress", "email"],
  ["ip", "ipv4"],
  ["host", "hostname"],
]);

/** Returns the known format that a name resembles; `undefined` if it is known, or a format of its author. */
export function meantFormat(name: string): string | undefined {
  if (formatNames.includes(name)) return undefined;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return (
    formatNames.find((each) => each.replace("-", "") === plain) ??
    otherFormats.get(plain) ??
    formatNames.find((each) => isMisspeltFormat(name, each) && !isVariant(plain, each.replaceAll("-", "")))
  );
}

/**
 * Whether a name is a format with other separators or one wrong letter. `tme` alone is too short to tell, but `date-tme`
 * is not.
 */
export function isMisspeltFormat(name: string, format: string): boolean {
  // A document may have tens of thousands of formats of its own, whose letters take long to compare.
  if (Math.abs(name.length - format.length) > 2) return false;
  const [joined, meant] = [partsOf(name).join("").toLowerCase(), partsOf(format).join("")];
  return isSlip(name, format) || joined === meant || isSlip(joined, meant);
}

/** Whether a name is more likely a format of its own: a plural, or another word of four letters, such as `data`. */
function isVariant(name: string, format: string): boolean {
  const isOtherWord = name.length === 4 && [...name].sort().join() !== [...format].sort().join();
  return isOtherWord || name === `${format}s`;
}

/** Returns why a JSON text cannot be used as a schema of drafts 4, 6 or 7; `undefined` if it can. */
export function findSchemaFault(text: string): string | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    if (!isSchema(schema)) return "a schema must be an object, `true` or `false`";
    const unresolved = findUnresolved(schema);
    if (unresolved !== undefined) return unresolved;
    const read = typeof schema === "boolean" ? schema : modern(schema);
    createAjv().compile(read);
    metaSchema ??= createAjv();
    const isMet = metaSchema.validateSchema(read) === true;
    const errors = isMet ? [] : (metaSchema.errors ?? []);
    const faults = errors.filter(({ schemaPath }) => !annotations.test(schemaPath));
    return faults.length > 0 ? metaSchema.errorsText(faults.slice(0, 3), { dataVar: "schema" }) : undefined;
  } catch (error) {
    // Everything thrown here is about the schema: it is an error of `JSON.parse` or of the library. Text that is not
    // JSON may be any file, and the error of `JSON.parse` quotes it.
    const message = error instanceof Error ? error.message : String(error);
    if (text.trim() === "") return "EOF";
    return message.endsWith("is not valid JSON") ? "it is not valid JSON" : message;
  }
}

/** What compares schemas with the meta-schema, which takes long to compile; it keeps none of them. */
let metaSchema: ReturnType<typeof createAjv> | undefined;

/** Faults of the meta-schema that the reference engine accepts: the values of these keywords have no effect. */
const annotations = /\/(?:examples|readOnly|\$comment|content\w+)\/type$/;

/** Loads the library only if a document has such a schema: loading takes longer than checking most documents. */
function createAjv() {
  const { Ajv } = require("ajv") as typeof import("ajv");
  const code = { regExp: readPattern };
  const none = { strict: false, logger: false, validateFormats: false, validateSchema: false } as const;
  return new Ajv({ ...none, allErrors: true, code });
}

/** Reads a pattern as the gateway does, by RE2. The library asks for a test, and for a name for its code. */
const readPattern = Object.assign(
  (pattern: string) => {
    const reason = whyNotRe2(pattern);
    if (reason !== undefined) throw new Error(reason);
    return { test: () => true, toString: () => pattern };
  },
  { code: "readPattern" },
);

/**
 * Converts a schema to later drafts: draft 4 has another name for identifiers, and flags instead of exclusive bounds. A flag
 * without its bound stays, and is refused.
 */
function modern(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rows = Object.entries(schema).flatMap(([key, value]) => {
    const isFlag = typeof value === "boolean" && key.startsWith("exclusiveM");
    if (key === "$schema" || (isFlag && key.replace("exclusiveM", "m") in schema)) return [];
    return [[key === "id" && typeof value === "string" ? "$id" : key, modernValue(value)] as const];
  });
  return Object.fromEntries(rows);
}

function modernValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modernValue);
  return isSchema(value) && typeof value !== "boolean" ? modern(value) : value;
}

function isSchema(value: unknown): value is boolean | Readonly<Record<string, unknown>> {
  return typeof value === "boolean" || isRecord(value);
}

const data: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/** Finds references and dialects that these drafts do not support. */
function findUnresolved(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return schema.map(findUnresolved).find((reason) => reason !== undefined);
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    if (data.has(key)) continue;
    const isText = typeof value === "string";
    if (isText && (key === "$dynamicRef" || key === "$recursiveRef"))
      return `\`${key}: ${value}\` does not resolve: drafts 4 to 7 support only \`$ref\``;
    if (isText && key === "$schema" && !isDialect(value)) return `unknown dialect \`${value}\``;
    const inner = findUnresolved(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
