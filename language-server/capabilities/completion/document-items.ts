// What may be written at a place of a document: components, fields, their values, labels and references.

import { type CompletionItem, CompletionItemKind, InsertTextFormat } from "vscode-languageserver";
import { isJson } from "../../../compiler/parse/document/parse-document.ts";
import type { Dialect } from "../../../compiler/trees/dialect.ts";
import { type DocumentNode, findNode } from "../../../compiler/trees/document.ts";
import { fieldsOf } from "../../../compiler/trees/fields.ts";
import { besideSchema } from "../../../schemas/catalogue.ts";
import type { Role } from "../../../schemas/component.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import { type DocumentPlace, keysOf, roleAt } from "../../analysis/document-place.ts";
import type { RepairedDocument } from "../../analysis/repaired.ts";
import { describeComponent, describeField, fieldType } from "../markdown.ts";
import { setItems, setKeyItems } from "./set-items.ts";

/** What the items are made from. */
interface Known {
  readonly analysis: Analysis | undefined;
  readonly dialect: Dialect;
}

/** The items for a key or a value. `before` is the document up to the pointer. */
export function completeDocument(
  place: DocumentPlace,
  { root, file, isKey }: RepairedDocument,
  before: string,
  known: Known,
): readonly CompletionItem[] {
  const json = isJson(file);
  if (isKey && place.parent !== undefined) return keyItems(place.parent, json, known);
  const variable = /\$\{(\w*)$/.exec(before);
  if (variable !== null) return environmentItems(known);
  // References to other files begin with the file.
  if (place.entry?.key === "$ref")
    return place.node.kind === "scalar" && /^[^#]+#/.test(String(place.node.value))
      ? []
      : referenceItems(root);
  return valueItems(place, root, json, known);
}

function keyItems(
  parent: DocumentPlace,
  json: boolean,
  { dialect, analysis }: Known,
): readonly CompletionItem[] {
  const present = keysOf(parent.node);
  const role = roleAt(parent);
  if (role !== undefined) return holderItems(role, present, json, dialect);
  const { properties = {}, required = [] } = parent.schema ?? {};
  const quoted = (value: unknown) => (json ? JSON.stringify(value) : String(value));
  const named = setKeyItems(parent, quoted, analysis);
  return [...named, ...fieldItems(properties, required, present, json)];
}

/** Components of a role, and what may stand beside one. */
function holderItems(
  role: Role,
  present: ReadonlySet<string>,
  json: boolean,
  { components }: Dialect,
): readonly CompletionItem[] {
  const isTaken = components.names(role).some((name) => present.has(name));
  const named = isTaken
    ? []
    : components.all(role).map(
        (component): CompletionItem => ({
          label: component.name,
          kind: CompletionItemKind.Class,
          detail: role.replace("_", " "),
          documentation: { kind: "markdown", value: describeComponent(component) },
          sortText: `1${component.name}`,
          ...inserting(component.name, component.schema, json),
        }),
      );
  return [...named, ...fieldItems(besideSchema(role).properties ?? {}, [], present, json)];
}

function fieldItems(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  present: ReadonlySet<string>,
  json: boolean,
): readonly CompletionItem[] {
  return Object.entries(properties)
    .filter(([name, schema]) => !present.has(name) && schema["x-alias"] === undefined)
    .map(
      ([name, schema]): CompletionItem => ({
        label: name,
        kind: CompletionItemKind.Property,
        detail: detailOf(schema, required.includes(name)),
        documentation: { kind: "markdown", value: describeField(name, schema, required.includes(name)) },
        sortText: `${required.includes(name) ? "2" : "3"}${name}`,
        ...inserting(name, schema, json),
      }),
    );
}

function detailOf(schema: Schema, isRequired: boolean): string {
  const fallback = schema.default === undefined ? "" : ` = ${JSON.stringify(schema.default)}`;
  return `${fieldType(schema)}${fallback}${isRequired ? ", required" : ""}`;
}

/** A key with what has to stand below it; JSON gets the key alone. */
function inserting(
  name: string,
  schema: Schema,
  json: boolean,
): Pick<CompletionItem, "insertText" | "insertTextFormat" | "insertTextMode"> {
  if (json) return { insertText: JSON.stringify(name) };
  const { properties, required = [] } = schema;
  if (schema["x-text"] === "mapping") return snippet(`${name}: |\n  $0`);
  if (schema["x-component"] !== undefined) return snippet(`${name}:\n  $0`);
  if (schema.type === "array" || schema.items !== undefined) return snippet(`${name}:\n  - $0`);
  if (properties !== undefined && required.length > 0) {
    const lines = required.map((each, index) => `\n  ${each}: ${filled(properties[each], index + 1)}`);
    return snippet(`${name}:${lines.join("")}`);
  }
  // What has no fields would be nothing at all without brackets.
  if (properties !== undefined && Object.keys(properties).length === 0) return snippet(`${name}: {}`);
  if (properties !== undefined) return snippet(`${name}:\n  $0`);
  return snippet(`${name}: $0`);
}

function filled(schema: Schema | undefined, stop: number): string {
  if (schema?.type === "array") return `[$${stop}]`;
  if (schema?.enum !== undefined) return `\${${stop}|${schema.enum.join(",")}|}`;
  return `$${stop}`;
}

function snippet(insertText: string) {
  return { insertText, insertTextFormat: InsertTextFormat.Snippet, insertTextMode: 2 } as const;
}

function valueItems(
  place: DocumentPlace,
  root: DocumentNode,
  json: boolean,
  known: Known,
): readonly CompletionItem[] {
  const { schema, entry, parent } = place;
  if (schema === undefined) return [];
  const quoted = (value: unknown) => (json ? JSON.stringify(value) : String(value));
  const values = [
    ...(schema.enum ?? []),
    ...(schema.type === "boolean" ? [true, false] : []),
    ...(schema.default !== undefined &&
    typeof schema.default !== "object" &&
    schema.enum === undefined &&
    schema.type !== "boolean"
      ? [schema.default]
      : []),
  ];
  const role =
    schema["x-resource"] ?? (entry?.key === "resource" ? parent?.schema?.["x-component"] : undefined);
  return [
    ...values.map(
      (value): CompletionItem => ({
        label: String(value),
        kind: CompletionItemKind.EnumMember,
        insertText: quoted(value),
        ...(value === schema.default && { detail: "default", preselect: true }),
      }),
    ),
    ...(role === undefined ? [] : labelItems(place, role, quoted, known)),
    ...(schema["x-route"] === undefined ? [] : pathItems(root, quoted)),
    ...setItems(place, root, quoted, known.analysis),
  ];
}

/** Labels that the stream around the place declares. */
function labelItems(
  place: DocumentPlace,
  role: Role,
  quoted: (value: unknown) => string,
  { analysis }: Known,
): readonly CompletionItem[] {
  const names = new Set(place.path.map(String));
  const streams = analysis?.set?.apis.flatMap((api) => api.streams) ?? [];
  const own = streams.filter(({ name }) => names.has(name) || streams.length === 1);
  const labels = own.flatMap(({ resources = [] }) =>
    resources.flatMap((resource) =>
      resource.role === role && resource.label !== undefined ? [resource.label] : [],
    ),
  );
  return [...new Set(labels)].map((label) => ({
    label,
    kind: CompletionItemKind.Reference,
    insertText: quoted(label),
  }));
}

/** Paths that the OpenAPI part declares. */
function pathItems(root: DocumentNode, quoted: (value: unknown) => string): readonly CompletionItem[] {
  const paths = findNode(root, "paths");
  if (paths?.kind !== "map") return [];
  return paths.entries.map(({ key }) => ({
    label: key,
    kind: CompletionItemKind.Value,
    insertText: quoted(key),
  }));
}

/** `#/components/schemas/Order` and the like; what stands at the top of a `file` that has no components. */
export function referenceItems(root: DocumentNode, file = ""): readonly CompletionItem[] {
  const components = findNode(root, "components");
  const places =
    components?.kind === "map"
      ? components.entries.flatMap(({ key: section, value }) =>
          [...keysOf(value)].map((key) => ["components", section, key]),
        )
      : file === ""
        ? []
        : [...keysOf(root)].map((key) => [key]);
  return places.map((place) => {
    const parts = place.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"));
    const label = `${file}#/${parts.join("/")}`;
    return {
      label,
      kind: CompletionItemKind.Reference,
      insertText: JSON.stringify(label),
      filterText: label,
    };
  });
}

/** Variables of the environment that the set reads elsewhere. */
function environmentItems({ analysis }: Known): readonly CompletionItem[] {
  const names = new Map<string, string | undefined>();
  for (const field of analysis?.set === undefined ? [] : fieldsOf(analysis.set)) {
    if (field.kind !== "Environment" && field.kind !== "Template") continue;
    for (const part of field.parts)
      if (part.kind === "Variable") names.set(part.name, names.get(part.name) ?? part.fallback);
  }
  return [...names].map(([label, fallback]) => ({
    label,
    kind: CompletionItemKind.Variable,
    ...(fallback !== undefined && { detail: `default ${fallback}` }),
  }));
}
