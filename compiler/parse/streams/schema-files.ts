// Replaces the names of files in processors (`x-read-into`) by the texts of the files, so that a gateway does not read
// them.

import type { ComponentCatalogue } from "../../../schemas/catalogue.ts";
import type { DocumentNode, MapEntry, MapNode, ScalarNode } from "../../trees/document.ts";
import { resolvePath } from "../document/paths.ts";
import { type NamedFileOptions, readProtoFiles } from "./proto-files.ts";

/** The dependencies and options of reading the files. */
export interface SchemaFileOptions extends NamedFileOptions {
  /** The available components, some of which have fields that name files. */
  readonly components: ComponentCatalogue;
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
function fileFieldOf(name: string, components: ComponentCatalogue): FileField | undefined {
  const known = fileFields.get(components) ?? listFileFields(components);
  fileFields.set(components, known);
  return known.get(name);
}

/** Cached by the name of the processor, because every key of every stream is looked up. */
const fileFields = new WeakMap<ComponentCatalogue, ReadonlyMap<string, FileField>>();

function listFileFields(components: ComponentCatalogue): ReadonlyMap<string, FileField> {
  return new Map(
    components.names("processor").flatMap((name) => {
      const field = findFileField(name, components);
      return field === undefined ? [] : [[name, field] as const];
    }),
  );
}

function findFileField(name: string, components: ComponentCatalogue): FileField | undefined {
  const properties = Object.entries(components.find("processor", name)?.schema.properties ?? {});
  for (const [pathKey, { "x-read-into": text, "x-read-protobuf-into": compiled }] of properties) {
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
    fields !== undefined && value.kind === "map"
      ? await withFile(value, fields, options)
      : await replaced(value, options);
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
  { span }: ScalarNode,
  written: string,
  { readFile, report, allowFiles }: SchemaFileOptions,
): Promise<string | undefined> {
  if (!allowFiles) {
    report("GW1034", span, { reference: written });
    return undefined;
  }
  const path = resolvePath(span.source.file.path, written.replace(/^file:\/\//, ""));
  // A reference to the environment is plain text here. In JSON it can only appear in a string.
  return (await readFile(path, span))?.text.replaceAll("${", "\\u0024{");
}
