// Identifies schemas by their canonical form and its fingerprint (Avro 1.11, "Parsing Canonical Form", "Schema
// Fingerprints").

import { quoteJson } from "../../message/json-print.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../../message/value.ts";

const primitiveNames = new Set(["null", "boolean", "int", "long", "float", "double", "bytes", "string"]);

/** Returns the text that all schemas with the same meaning share. */
export function canonicalForm(schema: Value, namespace = ""): string {
  if (typeof schema === "string")
    return quoteJson(primitiveNames.has(schema) ? schema : fullName(schema, namespace));
  if (isArray(schema)) return `[${schema.map((each) => canonicalForm(each, namespace)).join(",")}]`;
  if (!isObject(schema)) return "null";
  const { type = null } = schema;
  if (typeof type !== "string") return canonicalForm(type, namespace);
  return ["record", "error", "enum", "fixed", "array", "map"].includes(type)
    ? complexForm(schema, type, namespace)
    : canonicalForm(type, namespace);
}

function complexForm(schema: ObjectValue, type: string, namespace: string): string {
  const space = typeof schema.namespace === "string" ? schema.namespace : namespace;
  const name = typeof schema.name === "string" ? fullName(schema.name, space) : undefined;
  const inner = name === undefined ? namespace : name.slice(0, Math.max(0, name.lastIndexOf(".")));
  const parts = [
    name === undefined ? undefined : `"name":${quoteJson(name)}`,
    `"type":${quoteJson(type)}`,
    schema.fields !== undefined && isArray(schema.fields)
      ? `"fields":[${schema.fields.map((field) => fieldForm(field, inner)).join(",")}]`
      : undefined,
    schema.symbols !== undefined && isArray(schema.symbols)
      ? `"symbols":[${schema.symbols.map((each) => quoteJson(String(each))).join(",")}]`
      : undefined,
    schema.items === undefined ? undefined : `"items":${canonicalForm(schema.items, inner)}`,
    schema.values === undefined ? undefined : `"values":${canonicalForm(schema.values, inner)}`,
    schema.size === undefined ? undefined : `"size":${String(schema.size)}`,
  ];
  return `{${parts.filter((part) => part !== undefined).join(",")}}`;
}

function fieldForm(field: Value, namespace: string): string {
  if (!isObject(field)) return "null";
  return `{"name":${quoteJson(String(field.name))},"type":${canonicalForm(field.type ?? null, namespace)}}`;
}

function fullName(name: string, namespace: string): string {
  return name.includes(".") || namespace === "" ? name : `${namespace}.${name}`;
}

const empty = 0xc15d213aa4d7a795n;

/** Returns the 64-bit Rabin fingerprint of a canonical form, least significant byte first. */
export function fingerprint(canonical: string): Uint8Array {
  let value = empty;
  for (const byte of Buffer.from(canonical)) {
    let entry = (value ^ BigInt(byte)) & 0xffn;
    for (let bit = 0; bit < 8; bit++) entry = (entry >> 1n) ^ (entry & 1n ? empty : 0n);
    value = (value >> 8n) ^ entry;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
