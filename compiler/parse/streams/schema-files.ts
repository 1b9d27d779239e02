// Replaces the names of files in processors (`x-read-into`) by the texts of the files, so that a gateway does not read
// them.

import type { ComponentCatalogue } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import { type SourceFile, wholeSpan } from "../../source/source.ts";
import type { DocumentNode, MapEntry, MapNode, ScalarNode } from "../../trees/document.ts";
import { resolvePath } from "../document/paths.ts";
import { type NamedFileOptions, readProtoFiles } from "./proto-files.ts";

/** The dependencies and options of reading the files. */
export interface SchemaFileOptions extends NamedFileOptions {
  /** The available components, some of which have fields that name files. */
  readonly components: ComponentCatalogue;
}

/** A processor whose texts, at any depth, are paths if a switch next to them is on (`x-read-if`). */
interface SwitchedFiles {
  readonly schema: Schema;
}

/** A field that names files, and the field that receives their content. */
interface FileField {
  readonly pathKey: string;
  readonly ownKey: string;
  /**
   * Returns the content of the files; `undefined` if none are named. After a report, an empty schema or `undefined`.
   */
  readonly read: (node: DocumentNode, options: SchemaFileOptions) => Promise<string | undefined>;
}

/** Returns the field of a processor that names files: `json_schema` has `schema_path` for `schema`. */
function fileFieldOf(name: string, components: ComponentCatalogue): FileField | SwitchedFiles | undefined {
  const known = fileFields.get(components) ?? listFileFields(components);
  fileFields.set(components, known);
  return known.get(name);
}

/** Cached by the name of the processor, because every key of every stream is looked up. */
const fileFields = new WeakMap<ComponentCatalogue, ReadonlyMap<string, FileField | SwitchedFiles>>();

function listFileFields(components: ComponentCatalogue): ReadonlyMap<string, FileField | SwitchedFiles> {
  return new Map(
    components.names("processor").flatMap((name) => {
      const field = findFileField(name, components);
      return field === undefined ? [] : [[name, field] as const];
    }),
  );
}

function findFileField(name: string, components: ComponentCatalogue): FileField | SwitchedFiles | undefined {
  const schema = components.find("processor", name)?.schema ?? {};
  const properties = Object.entries(schema.properties ?? {});
  for (const [pathKey, { "x-read-into": text, "x-read-protobuf-into": compiled, ...own }] of properties) {
    if (own["x-read-if"] !== undefined) return { schema };
    if (text !== undefined) return { pathKey, ownKey: text, read: readText };
    if (compiled !== undefined) return { pathKey, ownKey: compiled, read: readProtoFiles };
  }
  return undefined;
}

/**
 * Returns the same node if it names no files. A path next to a `schema`, and a path that is not a plain text, stay
 * unchanged for the check to report.
 */
export async function withSchemaFiles<N extends DocumentNode>(
  node: N,
  options: SchemaFileOptions,
): Promise<N> {
  if (!namesFiles(node, options.components)) return node;
  // The kind of a node stays, so the result has its type.
  return (await replaced(node, options)) as N;
}

/** Whether a tree contains a processor that may name files. Most trees contain none. */
function namesFiles(node: DocumentNode, components: ComponentCatalogue): boolean {
  if (node.kind === "scalar") return false;
  if (node.kind === "list") return node.items.some((item) => namesFiles(item, components));
  return node.entries.some(
    ({ key, value }) =>
      value.kind !== "scalar" &&
      (fileFieldOf(key, components) !== undefined || namesFiles(value, components)),
  );
}

async function replaced(node: DocumentNode, options: SchemaFileOptions): Promise<DocumentNode> {
  if (node.kind === "scalar") return node;
  if (node.kind === "list") {
    const items = await Promise.all(node.items.map((item) => replaced(item, options)));
    return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
  }
  const entries = await Promise.all(node.entries.map((entry) => replacedEntry(entry, options)));
  return entries.every((entry, index) => entry === node.entries[index]) ? node : { ...node, entries };
}

async function replacedEntry(entry: MapEntry, options: SchemaFileOptions): Promise<MapEntry> {
  const { key, value } = entry;
  const fields = fileFieldOf(key, options.components);
  const changed =
    fields === undefined || value.kind !== "map"
      ? await replaced(value, options)
      : "schema" in fields
        ? await withSwitchedFiles(value, fields.schema, options)
        : await withFile(value, fields, options);
  return changed === value ? entry : { ...entry, value: changed };
}

async function withFile(
  config: MapNode,
  { pathKey, ownKey, read }: FileField,
  options: SchemaFileOptions,
): Promise<MapNode> {
  const named = config.entries.find(({ key }) => key === pathKey);
  if (named === undefined || config.entries.some(({ key }) => key === ownKey)) return config;
  const content = await read(named.value, options);
  if (content === undefined) return config;
  const path = firstScalar(named.value);
  if (path === undefined) return config;
  const value: ScalarNode = { kind: "scalar", value: content, span: named.value.span, text: path.text };
  const entries = config.entries.map((entry) => (entry === named ? { ...entry, key: ownKey, value } : entry));
  return { ...config, entries };
}

/** Replaces the paths in a block, and in the blocks inside it, by the texts of the files. */
async function withSwitchedFiles(
  config: MapNode,
  { properties = {}, additionalProperties }: Schema,
  options: SchemaFileOptions,
): Promise<MapNode> {
  const others = typeof additionalProperties === "object" ? additionalProperties : {};
  const switches = new Set<string>();
  const entries = await Promise.all(
    config.entries.map(async (entry): Promise<MapEntry> => {
      const schema = properties[entry.key] ?? others;
      const name = schema["x-read-if"];
      if (entry.value.kind === "map")
        return { ...entry, value: await withSwitchedFiles(entry.value, schema, options) };
      const isOn = config.entries.some(
        ({ key, value }) => key === name && value.kind === "scalar" && value.value === true,
      );
      if (name === undefined || !isOn) return entry;
      const value = await fileText(entry.value, options);
      if (value === undefined) return entry;
      switches.add(name);
      return { ...entry, value };
    }),
  );
  return { ...config, entries: entries.filter(({ key }) => !switches.has(key)) };
}

/** Returns the text of the file that a scalar names; empty after a report, so that nothing else is reported. */
async function fileText(node: DocumentNode, options: SchemaFileOptions): Promise<ScalarNode | undefined> {
  if (node.kind !== "scalar" || typeof node.value !== "string" || !isPath(node.value)) return undefined;
  const file = await namedFile(node, node.value, options);
  const empty: ScalarNode = { kind: "scalar", value: "", span: node.span, text: node.text };
  return file === undefined
    ? empty
    : { kind: "scalar", value: file.text, span: wholeSpan(file), text: file, isContent: true };
}

/** Returns the scalar that names the first file. */
function firstScalar(node: DocumentNode): ScalarNode | undefined {
  if (node.kind === "list") return node.items.map(firstScalar).find((each) => each !== undefined);
  return node.kind === "scalar" ? node : undefined;
}

async function readText(node: DocumentNode, options: SchemaFileOptions): Promise<string | undefined> {
  if (node.kind !== "scalar" || typeof node.value !== "string" || !isPath(node.value)) return undefined;
  // A file that cannot be read has been reported: the schema needs no further report.
  return (await readSchema(node, node.value, options)) ?? "true";
}

/** Whether a text is a path of a file. The check handles other URLs and values that are only known at startup. */
function isPath(text: string): boolean {
  return text !== "" && !text.includes("${") && (!/^[a-z]+:\/\//.test(text) || text.startsWith("file://"));
}

async function readSchema(
  node: ScalarNode,
  written: string,
  options: SchemaFileOptions,
): Promise<string | undefined> {
  // A reference to the environment is plain text here. In JSON it can only appear in a string.
  return (await namedFile(node, written, options))?.text.replaceAll("${", "\\u0024{");
}

async function namedFile(
  { span }: ScalarNode,
  written: string,
  { readFile, report, allowFiles }: SchemaFileOptions,
): Promise<SourceFile | undefined> {
  if (!allowFiles) {
    report("GW1034", span, { reference: written });
    return undefined;
  }
  const path = resolvePath(span.source.file.path, written.replace(/^file:\/\//, ""));
  return readFile(path, span);
}
