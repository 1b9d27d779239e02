// Generates records for HTTP APIs from `schemas/portal/` and `schemas/management/`: a type and a schema for each.
// Repeated shapes are written once, with a name.

import { managementRecords } from "../schemas/management/records.ts";
import { portalRecords, type RecordSchemaFile } from "../schemas/portal/records.ts";
import { findShapes, isNested, keyOf, type Shape } from "./record-shapes.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The records of one API. */
interface RecordSet {
  readonly records: Readonly<Record<string, RecordSchemaFile>>;
  readonly shapes: ReadonlyMap<string, Shape>;
  /** The folder of their schemas. */
  readonly source: string;
  /** The folder of the generated files. */
  readonly folder: string;
  /** The relative path from there to `runtime/rest/`. */
  readonly toRest: string;
}

const sets: readonly RecordSet[] = [
  {
    records: portalRecords,
    shapes: findShapes(portalRecords),
    source: "schemas/portal/",
    folder: "runtime/portal/generated",
    toRest: "../../rest",
  },
  {
    records: managementRecords,
    shapes: findShapes(managementRecords),
    source: "schemas/management/",
    folder: "management/generated",
    toRest: "../../runtime/rest",
  },
];

/** Returns a file for each record, for `generate-options.ts` to write. */
export function generateRecords(): readonly { readonly path: string; readonly text: string }[] {
  return sets.flatMap((set) =>
    Object.entries(set.records).map(([name, schema]) => ({
      path: `${set.folder}/${kebab(name)}.ts`,
      text: fileOf(name, schema, set),
    })),
  );
}

function fileOf(name: string, schema: RecordSchemaFile, set: RecordSet): string {
  const own = [...set.shapes.values()].filter(({ record }) => record === name);
  const body = `${own.map((shape) => shapeText(shape, set)).join("")}${comment(schema, "")}export interface ${name} ${fieldTypes(schema, "", set)}

/** \`${name}\` as JSON Schema 2020-12. */
export const ${constant(name)}Schema: RecordSchema<${name}> = {
  name: ${JSON.stringify(name)},
  schema: ${valueText(schema, set).replaceAll("\n", "\n  ")},
};
`;
  return `// Generated from ${set.source} by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "${set.toRest}/operation.ts";
${importsOf(name, body, set)}
${body}`;
}

/** Returns the declarations of a shape: its type, and the schemas of its fields. */
function shapeText({ name, schema }: Shape, set: RecordSet): string {
  return `/** Fields that stand at several places. */
export interface ${name} ${fieldTypes(schema, "", set)}

/** Their schemas. */
export const ${constant(name)}Fields = ${valueText(schema.properties, set)};

`;
}

/** Returns the imports for the names in `body` that files of other records export. */
function importsOf(record: string, body: string, set: RecordSet): string {
  const code = body.replaceAll(/\/\*\*.*?\*\/|"(?:[^"\\]|\\.)*"/g, "");
  const brought = namesOfFiles(set).filter(
    (each) => each.record !== record && new RegExp(`\\b${each.name}\\b`).test(code),
  );
  return [...Map.groupBy(brought, (each) => each.record)]
    .map(([other, list]) => {
      const names = list.map(({ name, isType }) => (isType ? `type ${name}` : name));
      return `import { ${names.join(", ")} } from "./${kebab(other)}.ts";\n`;
    })
    .join("");
}

/** Returns the names that the files of records export for each other. */
function namesOfFiles({ records, shapes }: RecordSet): readonly {
  readonly name: string;
  readonly record: string;
  readonly isType: boolean;
}[] {
  return [
    ...Object.keys(records).map((name) => ({ name, record: name, isType: true })),
    ...[...shapes.values()].flatMap(({ name, record }) => [
      { name, record, isType: true },
      { name: `${constant(name)}Fields`, record, isType: false },
    ]),
  ];
}

/** Returns JSON as TypeScript, with the names of named fields in place of their content. */
function valueText(value: unknown, set: RecordSet): string {
  const text = JSON.stringify(value, (_, inner) => withName(inner, set), 2);
  return text.replaceAll(/^( +)"([A-Za-z_]\w*)":/gm, "$1$2:").replaceAll(/"named (\w+)"/g, "$1");
}

function withName(value: unknown, { shapes }: RecordSet): unknown {
  const shape = isNested(value) ? shapes.get(keyOf(value)) : undefined;
  return shape === undefined
    ? value
    : { ...Object(value), properties: `named ${constant(shape.name)}Fields` };
}

/** Returns TypeScript for the part of JSON Schema that records use. */
function typeOf(schema: unknown, indent: string, set: RecordSet): string {
  const {
    type,
    enum: values,
    items,
    properties,
    additionalProperties: others,
    required,
  } = schema as {
    readonly [keyword: string]: unknown; // values are narrowed below
  };
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each }, indent, set)).join(" | ");
  if (type === "integer") return "number";
  if (type === "array") return `readonly ${parenthesised(typeOf(items ?? {}, indent, set))}[]`;
  if (type !== "object") return typeof type === "string" ? type : "unknown";
  if (typeof properties !== "object" || properties === null) {
    return `Readonly<Record<string, ${typeOf(typeof others === "object" ? others : {}, indent, set)}>>`;
  }
  return namedType(schema, set) ?? fieldTypes({ properties, required }, indent, set);
}

/** Returns the name of a shape, or of the record that has the same fields. */
function namedType(schema: unknown, { records, shapes }: RecordSet): string | undefined {
  if (!isNested(schema)) return undefined;
  const record = Object.entries(records).find(([, each]) => typeKey(each) === typeKey(schema));
  return shapes.get(keyOf(schema))?.name ?? record?.[0];
}

/** Returns the parts of an object's schema that determine its type; `readOnly` does not. */
function typeKey({ properties, required }: Fields): string {
  return JSON.stringify({ properties, required }, (keyword, value) =>
    keyword === "readOnly" ? undefined : value,
  );
}

/** Returns the fields of an object as the body of an interface. */
function fieldTypes({ properties, required }: Fields, indent: string, set: RecordSet): string {
  const inner = `${indent}  `;
  const fields = Object.entries(Object(properties) as object).map(([name, property]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?";
    return `${comment(property, inner)}${inner}readonly ${name}${mark}: ${typeOf(property, inner, set)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function parenthesised(type: string): string {
  return /^readonly |^[^{]*\|/.test(type) ? `(${type})` : type;
}

function comment(schema: object, indent: string): string {
  return "description" in schema && typeof schema.description === "string"
    ? `${indent}/** ${schema.description} */\n`
    : "";
}

/** Converts `KeyRequest` to `keyRequest`. */
function constant(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** Converts `KeyRequest` to `key-request`. */
function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
}
