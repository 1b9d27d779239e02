// Completion in documents: components, fields, their values, labels and references.

import { type CompletionItem, CompletionItemKind, InsertTextFormat } from "vscode-languageserver";
import { allowedNames, programName } from "../../../compiler/check/document/allow-unsafe.ts";
import { isGatewayVariable } from "../../../compiler/check/document/tenant.ts";
import { verbKeys } from "../../../compiler/model/path-items.ts";
import { isJson, offsetsOf, type SourceFile } from "../../../compiler/source/source.ts";
import type { Dialect } from "../../../compiler/trees/dialect.ts";
import { type DocumentNode, findNode } from "../../../compiler/trees/document.ts";
import { fieldsOf } from "../../../compiler/trees/fields.ts";
import { escapeKey } from "../../../compiler/trees/pointer.ts";
import { besideSchema, extensionAliases, resourceSections } from "../../../schemas/catalogue.ts";
import type { ComponentRole } from "../../../schemas/component.ts";
import { fieldType } from "../../../schemas/field-text.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import { type DocumentPlace, keysOf, roleAt } from "../../analysis/document-place.ts";
import { asText, type RepairedDocument } from "../../analysis/repaired.ts";
import { isSettingsName } from "../../workspace/find-sets.ts";
import { describeComponent, describeField } from "../markdown.ts";
import { setItems, setKeyItems, unlessAllowed } from "./set-items.ts";

/** The data that items are created from. */
interface Known {
  readonly analysis: Analysis | undefined;
  readonly dialect: Dialect;
}

/** Returns the items for a key or a value. `before`: the document up to the pointer. */
export function completeDocument(
  place: DocumentPlace,
  { root, file, isKey, form: repair }: RepairedDocument,
  before: string,
  known: Known,
): readonly CompletionItem[] {
  const around = isKey ? place.parent : place;
  const form = formOf(around ?? place, file);
  if (isKey && place.parent !== undefined) return keyItems(place.parent, form, known);
  const variable = /\$\{(\w*)$/.exec(before);
  if (variable !== null) return environmentItems(file.path, known);
  // References to other files are completed as file names first.
  if (place.entry?.key === "$ref")
    return place.node.kind === "scalar" && /^[^#]+#/.test(String(place.node.value))
      ? []
      : referenceItems(root).filter(({ label }) => label.startsWith(`#/components/${sectionAt(place)}`));
  const role = roleAt(place);
  if (role === undefined) return valueItems(place, root, form, known);
  const isQuoted = /["']/.test(file.text.charAt(offsetsOf(place.node.span).start - 1)) && repair !== asText;
  return form === "block" || isQuoted ? [] : componentItems(place, role, form, known);
}

/** Returns the components of a role as values, in brackets of their own. */
function componentItems(
  place: DocumentPlace,
  role: ComponentRole,
  form: Form,
  known: Known,
): readonly CompletionItem[] {
  return holderItems(place, role, form, known)
    .filter(({ kind }) => kind === CompletionItemKind.Class)
    .map((item) => ({ ...item, insertText: `{ ${item.insertText ?? item.label} }` }));
}

/** The syntax of the object or value around the pointer, which inserted text must use, too. */
type Form = "json" | "flow" | "block";

function formOf(place: DocumentPlace, file: SourceFile): Form {
  if (isJson(file)) return "json";
  for (let at: DocumentPlace | undefined = place; at !== undefined; at = at.parent)
    if (at.node.kind !== "scalar" && /[[{]/.test(file.text.charAt(offsetsOf(at.node.span).start)))
      return "flow";
  return "block";
}

/** Returns a value in the syntax of the document. */
function written(value: unknown, form: Form): string {
  if (form === "json") return JSON.stringify(value);
  return typeof value !== "string" || isPlain(value, form) ? String(value) : JSON.stringify(value);
}

/** Whether YAML parses a text without quotes as that text. */
function isPlain(text: string, form: Form): boolean {
  const isSyntax = /^$|^[\s!&*[\]{}|>@`"'%#,]|^[?:-](?:\s|$)|:\s|:$|\s#|\s$|[\r\n\t]/.test(text);
  const isOther = /^(?:true|false|null|~)$/i.test(text) || !Number.isNaN(Number(text));
  return !isSyntax && !isOther && !(form === "flow" && /[,[\]{}]/.test(text));
}

function keyItems(parent: DocumentPlace, form: Form, known: Known): readonly CompletionItem[] {
  const role = roleAt(parent);
  if (role !== undefined) return holderItems(parent, role, form, known);
  const { analysis } = known;
  const present = keysOf(parent.node);
  const allowed = allowedIn(analysis);
  const { properties = {}, required = [] } = parent.schema ?? {};
  const quoted = (value: unknown) => written(value, form);
  const named = setKeyItems(parent, quoted, analysis);
  return [...named, ...fieldItems(properties, required, present, form, allowed)];
}

/** Returns the names in `allow_unsafe` of the set. */
function allowedIn(analysis: Analysis | undefined): readonly string[] {
  const process = analysis?.set?.process;
  return process === undefined ? [] : allowedNames(process).map(({ name }) => name);
}

/** Whether a component or field is allowed: it accesses nothing on the machine, or `allow_unsafe` permits it. */
function isAllowed(name: string, schema: Schema, allowed: readonly string[]): boolean {
  if (schema["x-unsafe"] === undefined) return true;
  return schema["x-unsafe-program"] === undefined
    ? allowed.includes(name)
    : allowed.some((each) => each.startsWith(programName(name, "")));
}

/** Returns the components of a role, and the fields that may be next to one. */
function holderItems(
  place: DocumentPlace,
  role: ComponentRole,
  form: Form,
  known: Known,
): readonly CompletionItem[] {
  const { components } = known.dialect;
  const allowed = allowedIn(known.analysis);
  const present = keysOf(place.node);
  const isTaken = present.has("resource") || components.names(role).some((name) => present.has(name));
  const named = isTaken
    ? []
    : components.all(role).map(
        (component): CompletionItem =>
          unlessAllowed(isAllowed(component.name, component.schema, allowed), {
            label: component.name,
            kind: CompletionItemKind.Class,
            detail: role.replace("_", " "),
            documentation: { kind: "markdown", value: describeComponent(component) },
            sortText: `1${component.name}`,
            ...inserting(component.name, component.schema, form),
          }),
      );
  return [
    ...named,
    ...(isTaken ? [] : resourceItems(place, role, form, known)),
    ...fieldItems(besideSchema(role).properties ?? {}, [], present, form, allowed),
  ];
}

/** Returns the key that names a resource in place of a component, if the stream declares one of the role. */
function resourceItems(
  place: DocumentPlace,
  role: ComponentRole,
  form: Form,
  known: Known,
): readonly CompletionItem[] {
  const labels = labelItems(place, role, String, known).map(({ label }) => label);
  const [first] = labels;
  if (first === undefined || (role !== "input" && role !== "processor" && role !== "output")) return [];
  const value = labels.length > 1 && form !== "json" ? `\${1|${labels.join(",")}|}` : written(first, form);
  return [
    {
      label: "resource",
      kind: CompletionItemKind.Class,
      detail: role,
      documentation: `Uses the ${role} with this label in \`${resourceSections[role]}\`.`,
      sortText: "1resource",
      ...snippet(`${written("resource", form)}: ${value}`),
    },
  ];
}

/** Older names of extensions, which are still read but not offered. */
const olderNames: ReadonlySet<string> = new Set(Object.values(extensionAliases));

function fieldItems(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  present: ReadonlySet<string>,
  form: Form,
  allowed: readonly string[],
): readonly CompletionItem[] {
  return Object.entries(properties)
    .filter(
      ([name, schema]) => !present.has(name) && schema["x-alias"] === undefined && !olderNames.has(name),
    )
    .map(
      ([name, schema]): CompletionItem =>
        unlessAllowed(isAllowed(name, schema, allowed), {
          label: name,
          kind: CompletionItemKind.Property,
          detail: detailOf(schema, required.includes(name)),
          documentation: { kind: "markdown", value: describeField(name, schema, required.includes(name)) },
          sortText: `${required.includes(name) ? "2" : "3"}${name}`,
          ...inserting(name, schema, form),
        }),
    );
}

function detailOf(schema: Schema, isRequired: boolean): string {
  const fallback = schema.default === undefined ? "" : ` = ${JSON.stringify(schema.default)}`;
  return `${fieldType(schema)}${fallback}${isRequired ? ", required" : ""}`;
}

/**
 * Returns the inserted text of a key: with its required fields, or with the default of a value that is not an object.
 */
function inserting(
  name: string,
  schema: Schema,
  form: Form,
): Pick<CompletionItem, "insertText" | "insertTextFormat" | "insertTextMode"> {
  const { properties, required = [] } = schema;
  const isList = schema.type === "array" || schema.items !== undefined;
  const isObject = schema["x-component"] !== undefined || properties !== undefined;
  const keyOf = (each: string) => (form === "json" ? JSON.stringify(each) : each);
  const key = keyOf(name);
  // Without brackets, an object without fields would be null.
  if (properties !== undefined && Object.keys(properties).length === 0) return snippet(`${key}: {}`);
  const fields = required.map(
    (each, index) => `${keyOf(each)}: ${filled(properties?.[each], index + 1, form)}`,
  );
  if (form !== "block") {
    if (isList) return snippet(`${key}: [$0]`);
    if (isObject) return snippet(`${key}: { ${fields.length === 0 ? "$0" : fields.join(", ")} }`);
    return snippet(`${key}: ${schema["x-text"] === "mapping" ? '"$0"' : filled(schema, 1, form)}`);
  }
  if (schema["x-text"] === "mapping") return snippet(`${name}: |\n  $0`);
  if (schema["x-component"] !== undefined) return snippet(`${name}:\n  $0`);
  if (isList) return snippet(`${name}:\n  - $0`);
  if (properties !== undefined && fields.length > 0)
    return snippet(`${name}:${fields.map((field) => `\n  ${field}`).join("")}`);
  return snippet(isObject ? `${name}:\n  $0` : `${name}: ${filled(schema, 1, form)}`);
}

/** Returns a value to be overwritten: the default, or a choice of the allowed values. */
function filled(schema: Schema | undefined, stop: number, form: Form): string {
  const { type, default: usual } = schema ?? {};
  if (type === "array") return `[$${stop}]`;
  const allowed = choicesOf(schema);
  if (allowed.length > 0) {
    const choices = [...allowed].sort((one, other) => Number(other === usual) - Number(one === usual));
    return `\${${stop}|${choices.map((value) => escaped(written(value, form), /[\\,|$}]/g)).join(",")}|}`;
  }
  if (usual !== undefined && usual !== null && typeof usual !== "object" && usual !== "")
    return `\${${stop}:${escaped(written(usual, form), /[\\$}]/g)}}`;
  const isText = type === "string" || schema?.["x-text"] !== undefined;
  return form === "json" && isText ? `"$${stop}"` : `$${stop}`;
}

/** Returns the allowed values of a field, without those that are not supported. */
function choicesOf(schema: Schema | undefined): readonly (string | number | boolean)[] {
  return schema?.["x-supported"] ?? schema?.enum ?? (schema?.type === "boolean" ? [true, false] : []);
}

function escaped(text: string, signs: RegExp): string {
  return text.replaceAll(signs, "\\$&");
}

function snippet(insertText: string) {
  return { insertText, insertTextFormat: InsertTextFormat.Snippet, insertTextMode: 2 } as const;
}

function valueItems(
  place: DocumentPlace,
  root: DocumentNode,
  form: Form,
  known: Known,
): readonly CompletionItem[] {
  const { schema, entry, parent } = place;
  if (schema === undefined) return [];
  const quoted = (value: unknown) => written(value, form);
  const choices = choicesOf(schema);
  // The target of a unit test is offered if the tested document has it.
  const isKnown = schema.default !== undefined && entry?.key !== "target_processors";
  const isFree = isKnown && typeof schema.default !== "object" && choices.length === 0;
  const values = isFree ? [schema.default] : choices;
  const needAllowing = schema["x-unsafe-values"] ?? {};
  const allowed = allowedIn(known.analysis);
  const role =
    schema["x-resource"] ?? (entry?.key === "resource" ? parent?.schema?.["x-component"] : undefined);
  return [
    ...values
      .filter((value) => value !== "")
      .map(
        (value): CompletionItem =>
          unlessAllowed(!(String(value) in needAllowing) || allowed.includes(String(value)), {
            label: String(value),
            kind: CompletionItemKind.EnumMember,
            insertText: quoted(value),
            ...(value === schema.default && { detail: "default", preselect: true }),
          }),
      ),
    ...(role === undefined ? [] : labelItems(place, role, quoted, known)),
    ...(schema["x-route"] === undefined ? [] : pathItems(place, root, quoted)),
    ...setItems(place, root, quoted, known.analysis),
  ];
}

/** Returns the labels that the stream around the place declares. */
function labelItems(
  place: DocumentPlace,
  role: ComponentRole,
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

/** Returns the paths that the OpenAPI part declares with a method that the endpoint serves. */
function pathItems(
  { schema, component, parent }: DocumentPlace,
  root: DocumentNode,
  quoted: (value: unknown) => string,
): readonly CompletionItem[] {
  const paths = findNode(root, "paths");
  if (paths?.kind !== "map") return [];
  const written = parent && findNode(parent.node, "allowed_verbs");
  const usual = component?.schema.properties?.allowed_verbs?.default;
  const verbs =
    schema?.["x-route"] === "websocket"
      ? ["GET"]
      : written?.kind === "list"
        ? written.items.map((each) => (each.kind === "scalar" ? each.value : undefined))
        : Array.isArray(usual)
          ? usual
          : ["GET"];
  const served = new Set(verbs.map((verb) => String(verb).toLowerCase()));
  return paths.entries
    .filter(({ value }) => {
      const declared = [...keysOf(value)].filter((key) => verbKeys.has(key));
      return declared.length === 0 || declared.some((method) => served.has(method));
    })
    .map(({ key }) => ({ label: key, kind: CompletionItemKind.Value, insertText: quoted(key) }));
}

/** Returns the section of the components that a reference can lead to, with a slash; nothing if it is not known. */
function sectionAt({ path }: DocumentPlace): string {
  if (path.some((key, index) => key === "schema" || (key === "schemas" && path[index - 1] === "components")))
    return "schemas/";
  const key = path.findLast((each) => typeof each === "string" && referring.has(each));
  return key === undefined ? "" : `${referring.get(String(key))}/`;
}

/** The keys of OpenAPI whose values may be references, with the sections of the components that these lead to. */
const referring: ReadonlyMap<string | number, string> = new Map([
  ["requestBody", "requestBodies"],
  ...["callbacks", "examples", "headers", "links", "parameters", "requestBodies", "responses"].map(
    (section) => [section, section] as const,
  ),
]);

/**
 * Returns references such as `#/components/schemas/Order`, or the top-level keys of a `file` that has no components.
 */
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
    const parts = place.map(escapeKey);
    const label = `${file}#/${parts.join("/")}`;
    return {
      label,
      kind: CompletionItemKind.Reference,
      insertText: JSON.stringify(label),
      filterText: label,
    };
  });
}

/** Returns the environment variables that the set reads elsewhere. */
function environmentItems(path: string, { analysis }: Known): readonly CompletionItem[] {
  const names = new Map<string, string | undefined>();
  for (const field of analysis?.set === undefined ? [] : fieldsOf(analysis.set)) {
    if (field.kind !== "Environment" && field.kind !== "Template") continue;
    for (const part of field.parts)
      if (part.kind === "Variable") names.set(part.name, names.get(part.name) ?? part.fallback);
  }
  // The gateway's own variables are only available in the settings of a set.
  const readable = [...names].filter(([name]) => isSettingsName(path) || !isGatewayVariable(name));
  return readable.map(([label, fallback]) => ({
    label,
    kind: CompletionItemKind.Variable,
    ...(fallback !== undefined && { detail: `default ${fallback}` }),
  }));
}
