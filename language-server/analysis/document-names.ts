// Collects the names in documents: resources of streams, components of OpenAPI documents, policies, APIs and topics
// of a set.

import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { offsetsOf, type Span } from "../../compiler/source/source.ts";
import type { StreamNode } from "../../compiler/trees/api.ts";
import { type DocumentNode, findEntry, findNode } from "../../compiler/trees/document.ts";
import { parseReference } from "../../compiler/trees/pointer.ts";
import { walk } from "../../compiler/trees/walk.ts";
import { documentSchemas } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import type { Analysis } from "./analysis.ts";
import { type CollectedNames, insideQuotes, placeOf, withoutQuotes } from "./collected-names.ts";
import { destinationsOf } from "./destinations.ts";
import { type DocumentPlace, entryPlace, ownPlace } from "./document-place.ts";
import { collectMetadata } from "./script-names.ts";
import { treeOf } from "./scripts.ts";

/**
 * Collects the labels of resources and their uses, the labels of processors, which unit tests refer to, and metadata
 * keys.
 */
export function collectResources({ set, scripts }: Analysis, names: CollectedNames): void {
  for (const stream of set?.apis.flatMap((api) => api.streams) ?? []) {
    const scope = placeOf(stream.nameSpan);
    for (const { role, label, labelSpan } of stream.resources ?? [])
      if (label !== undefined) names.declare("resource", `${scope} ${role}`, label, labelSpan);
    const use = (role: ComponentRole, label: string, span: Span) =>
      names.use("resource", `${scope} ${role}`, label, span);
    const declared = new Set((stream.resources ?? []).map(({ labelSpan }) => placeOf(labelSpan)));
    const visit = (place: DocumentPlace): void => {
      const isLabel = place.entry?.key === "label" && place.parent?.schema?.["x-component"] === "processor";
      if (isLabel && textAt(place) !== undefined && !declared.has(placeOf(place.node.span)))
        names.declare("label", scope, String(textAt(place)), place.node.span);
      const role = resourceNamedAt(place);
      if (role !== undefined) use(role, String(textAt(place)), place.node.span);
    };
    if (set !== undefined)
      walkFields(
        { path: [], schema: documentSchemas.stream, node: stream.node },
        set.dialect.components,
        visit,
      );
    for (const {
      field,
      scope: { builtins },
      message: { metadata },
    } of scripts) {
      if (!isInStream(field.span, stream)) continue;
      const isBrought = (key: string) => metadata.known.has(key);
      collectMetadata(treeOf(field), { scope, isBrought, input: stream.input?.nameSpan }, names);
      walk(treeOf(field), {
        FunctionCall({ name, args }) {
          const label = args[0]?.value;
          if (label?.kind !== "StringLiteral" || builtins?.findFunction(name.text)?.needs !== "cache") return;
          const span = insideQuotes(label);
          if (span !== undefined) use("cache", label.value, span);
        },
      });
    }
  }
}

function isInStream({ source, start }: Span, { node }: StreamNode): boolean {
  const offset = source.offsetInFile(start);
  const around = offsetsOf(node.span);
  return source.file === node.span.source.file && offset >= around.start && offset <= around.end;
}

/** Visits every place at or below `place` that has a schema. */
export function walkFields(
  place: DocumentPlace,
  components: Parameters<typeof entryPlace>[2],
  visit: (place: DocumentPlace) => void,
): void {
  const { node, schema } = place;
  if (schema === undefined) return;
  visit(place);
  if (node.kind === "map")
    for (const each of node.entries) walkFields(entryPlace(place, each, components), components, visit);
  if (node.kind === "list") {
    const shorthand = schema?.["x-shorthand"];
    const list = shorthand === undefined ? schema : schema?.properties?.[shorthand];
    for (const item of node.items)
      walkFields({ path: [], schema: list?.items, node: item, parent: place }, components, visit);
  }
}

/** Returns the role of the resource if the text at `place` is its label. */
function resourceNamedAt(place: DocumentPlace): ComponentRole | undefined {
  const { schema, entry, parent } = place;
  if (textAt(place) === undefined) return undefined;
  return schema?.["x-resource"] ?? (entry?.key === "resource" ? parent?.schema?.["x-component"] : undefined);
}

function textAt({ node }: DocumentPlace): string | undefined {
  return node.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/**
 * Collects policies, APIs and streams, and the references to them in keys, clients, access rights and gateway parts
 * of documents.
 */
export function collectSetNames({ set }: Analysis, names: CollectedNames): void {
  if (set === undefined) return;
  for (const { node } of set.process.policies) {
    const id = findEntry(node, "id") ?? findEntry(node, "_id");
    if (id?.value.kind === "scalar" && typeof id.value.value === "string")
      names.declare("policy", "", id.value.value, id.value.span);
  }
  for (const { gateway } of set.apis) {
    const id = findNode(gateway, "info", "id");
    if (id?.kind === "scalar" && typeof id.value === "string") names.declare("API", "", id.value, id.span);
  }
  for (const { name, nameSpan } of set.apis.flatMap((api) => api.streams)) {
    const { source, start, end } = nameSpan;
    // The stream of a bare document has no name in the text.
    if (source.text.slice(start, end) === name) names.declare("stream", placeOf(nameSpan), name, nameSpan);
  }
  const visit = (place: DocumentPlace): void => {
    const named = place.schema?.["x-names"];
    if (named === undefined) return;
    const kind = named === "policy" ? "policy" : "API";
    const text = textAt(place);
    if (text !== undefined) names.use(kind, "", text, place.node.span);
    if (place.node.kind === "map")
      for (const { key, keySpan } of place.node.entries) names.use(kind, "", key, withoutQuotes(keySpan));
  };
  for (const { root } of set.documents) walkFields(ownPlace(root), set.dialect.components, visit);
}

/** Collects topics, queues and channels. A writer declares the name; without a writer, a reader does. */
export function collectDestinations(analysis: Analysis, names: CollectedNames): void {
  const written = destinationsOf(analysis).filter(({ isWritten }) => isWritten);
  const fed = new Set(
    written.flatMap(({ direction, broker, name }) => (direction === "writes" ? [`${broker} ${name}`] : [])),
  );
  for (const { direction, broker, name, span } of written) {
    if (direction === "writes" || !fed.has(`${broker} ${name}`)) names.declare("topic", broker, name, span);
    else names.use("topic", broker, name, span);
  }
}

/** Collects references such as `#/components/schemas/Order` and `#/$defs/order`, and their targets. */
export function collectReferences(
  node: DocumentNode,
  path: string,
  root: DocumentNode,
  analysis: Analysis,
  names: CollectedNames,
): void {
  if (node.kind === "list")
    for (const item of node.items) collectReferences(item, path, root, analysis, names);
  if (node.kind !== "map") return;
  for (const { key, value } of node.entries) {
    if (key === "$ref" && value.kind === "scalar" && typeof value.value === "string")
      collectReference(value.value, value.span, path, analysis, names);
    else collectReferences(value, path, root, analysis, names);
  }
}

/**
 * Whether the last part of a path is a freely chosen name: of a component, or of a schema in `$defs` or
 * `definitions`.
 */
function isDefinition(place: readonly (string | number)[]): boolean {
  const isComponent = place[0] === "components" && place.length === 3;
  return isComponent || ["$defs", "definitions"].includes(String(place.at(-2)));
}

function collectReference(
  text: string,
  span: Span,
  path: string,
  { set }: Analysis,
  names: CollectedNames,
): void {
  const reference = parseReference(text);
  if (reference.kind !== "place" || typeof reference.place === "string") return;
  const name = String(reference.place.at(-1) ?? "");
  if (name === "" || !text.endsWith(`/${name}`)) return;
  const file = reference.path === undefined ? path : resolvePath(path, reference.path);
  const document = set?.documents.find((each) => each.file.path === file);
  const entry = findEntry(findNode(document?.root, ...reference.place.slice(0, -1)), name);
  if (entry === undefined || findFileRange(span) === undefined) return;
  const declared = withoutQuotes(entry.keySpan);
  const kind = isDefinition(reference.place) ? "component" : "field";
  names.declare(kind, placeOf(declared), name, declared);
  names.use(kind, placeOf(declared), name, { ...span, start: span.end - name.length });
}
