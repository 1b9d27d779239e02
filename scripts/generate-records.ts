// The portal's records as the runtime has them, from `schemas/portal/`: a type, and the schema to validate and describe by.

import { portalRecords, type RecordSchemaFile } from "../schemas/portal/records.ts";

/** Files below `runtime/portal/generated/`, for `generate-options.ts` to write. */
export function generateRecords(): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(portalRecords).map(([name, schema]) => ({
    path: `runtime/portal/generated/${kebab(name)}.ts`,
    text: fileOf(name, schema),
  }));
}

function fileOf(name: string, schema: RecordSchemaFile): string {
  const constant = `${name.charAt(0).toLowerCase()}${name.slice(1)}Schema`;
  return `// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/record-schema.ts";

${comment(schema, "")}export interface ${name} ${typeOf(schema, "")}

/** What a ${schema.title.toLowerCase()} is, as JSON Schema 2020-12. */
export const ${constant}: RecordSchema<${name}> = {
  name: ${JSON.stringify(name)},
  schema: ${JSON.stringify(schema, null, 2)
    .replaceAll("\n", "\n  ")
    .replaceAll(/^( +)"([A-Za-z_]\w*)":/gm, "$1$2:")},
};
`;
}

/** TypeScript of the part of JSON Schema that records use. */
function typeOf(schema: unknown, indent: string): string {
  const {
    type,
    enum: values,
    items,
    properties,
    additionalProperties: others,
    required,
  } = schema as {
    readonly [keyword: string]: unknown; // what is read here is narrowed below
  };
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "integer") return "number";
  if (type === "array") return `readonly ${parenthesised(typeOf(items ?? {}, indent))}[]`;
  if (type !== "object") return typeof type === "string" ? type : "unknown";
  if (typeof properties !== "object" || properties === null) {
    return `Readonly<Record<string, ${typeOf(typeof others === "object" ? others : {}, indent)}>>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, property]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?";
    return `${comment(property, inner)}${inner}readonly ${name}${mark}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function parenthesised(type: string): string {
  return /^readonly |\|/.test(type) ? `(${type})` : type;
}

function comment(schema: object, indent: string): string {
  return "description" in schema && typeof schema.description === "string"
    ? `${indent}/** ${schema.description} */\n`
    : "";
}

/** `KeyRequest` as `key-request`. */
function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
}
