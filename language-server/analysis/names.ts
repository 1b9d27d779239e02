// Everything that has a name of its own in the documents of an analysis, where it is declared and where it is used: variables
// and maps of scripts, resources of streams, components of OpenAPI documents.

import type { MappingScope } from "../../compiler/check/mapping/checked.ts";
import { findFileRange } from "../../compiler/diagnostics/fixes/file-range.ts";
import { resolvePath } from "../../compiler/parse/document/paths.ts";
import { parseReference } from "../../compiler/parse/references/pointer.ts";
import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { StreamNode } from "../../compiler/trees/api.ts";
import { type DocumentNode, findEntry } from "../../compiler/trees/document.ts";
import type {
  MapDefinition,
  Mapping,
  MappingNode,
  Statement,
  StringLiteral,
} from "../../compiler/trees/mapping.ts";
import { childrenOf, walk } from "../../compiler/trees/walk.ts";
import { documentSchemas } from "../../schemas/catalogue.ts";
import type { Role } from "../../schemas/component.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { Analysis } from "./analysis.ts";
import { type DocumentPlace, entryPlace } from "./document-place.ts";
import { offsetsOf } from "./positions.ts";
import { treeOf } from "./scripts.ts";

/** A thing with a name. Spans hold the name alone, without quotes and signs. */
export interface Named {
  readonly kind: "variable" | "map" | "resource" | "component";
  readonly name: string;
  readonly declarations: readonly Span[];
  readonly uses: readonly Span[];
}

/** Characters of a document above which it is not searched for references: it would have to be read whole. */
const largeText = 1_000_000;

const known = new WeakMap<Analysis, readonly Named[]>();

/** All names of an analysis. */
export function namesIn(analysis: Analysis): readonly Named[] {
  const found = known.get(analysis) ?? collect(analysis);
  known.set(analysis, found);
  return found;
}

/** The thing whose name stands at an offset of a file, and where it stands there. */
export function namedAt(
  analysis: Analysis,
  path: string,
  offset: number,
): { readonly named: Named; readonly span: Span } | undefined {
  for (const named of namesIn(analysis)) {
    const span = [...named.declarations, ...named.uses].find((each) => {
      const { start, end } = offsetsOf(each);
      return absolutePath(each.source.file.path) === path && offset >= start && offset <= end;
    });
    if (span !== undefined) return { named, span };
  }
  return undefined;
}

/** Names that are being collected, by what they are names of. */
class Names {
  readonly #found = new Map<
    string,
    { kind: Named["kind"]; name: string; declarations: Map<string, Span>; uses: Map<string, Span> }
  >();

  declare(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).declarations.set(placeOf(span), span);
  }

  use(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).uses.set(placeOf(span), span);
  }

  #at(kind: Named["kind"], key: string, name: string) {
    const id = `${kind} ${key} ${name}`;
    const entry = this.#found.get(id) ?? { kind, name, declarations: new Map(), uses: new Map() };
    this.#found.set(id, entry);
    return entry;
  }

  /** What is declared somewhere; a place counts once, however often it was met. */
  list(): readonly Named[] {
    return [...this.#found.values()]
      .filter(({ declarations }) => declarations.size > 0)
      .map(({ kind, name, declarations, uses }) => ({
        kind,
        name,
        declarations: [...declarations.values()],
        uses: [...uses].filter(([place]) => !declarations.has(place)).map(([, span]) => span),
      }));
  }
}

function placeOf(span: Span): string {
  return `${span.source.file.path} ${span.source.offsetInFile(span.start)}`;
}

function collect(analysis: Analysis): readonly Named[] {
  const names = new Names();
  for (const { field, scope } of analysis.scripts) {
    const tree = treeOf(field);
    if (tree.kind === "Mapping") collectMapping(tree, scope, names);
  }
  collectResources(analysis, names);
  for (const { file, root } of analysis.set?.documents ?? [])
    if (file.text.length <= largeText) collectReferences(root, file.path, root, analysis, names);
  return names.list();
}

function collectMapping(mapping: Mapping, scope: MappingScope, names: Names): void {
  const maps = new Map<string, MapDefinition>();
  collectMaps(mapping, scope, maps, new Set());
  const files = new Set([mapping, ...imported(mapping, scope)]);
  for (const file of files) {
    collectVariables(file.statements, placeOf(file.span), names);
    for (const statement of file.statements)
      if (statement.kind === "MapDefinition")
        names.declare("map", placeOf(statement.name.span), statement.name.text, statement.name.span);
    walk(file, {
      MethodCall({ name, args }) {
        const argument = args[0]?.value;
        if (name.text !== "apply" || argument?.kind !== "StringLiteral") return;
        const definition = maps.get(argument.value);
        const span = insideQuotes(argument);
        if (definition !== undefined && span !== undefined)
          names.use("map", placeOf(definition.name.span), argument.value, span);
      },
    });
  }
}

function collectMaps(
  mapping: Mapping,
  scope: MappingScope,
  maps: Map<string, MapDefinition>,
  met: Set<Mapping>,
): void {
  if (met.has(mapping)) return;
  met.add(mapping);
  for (const statement of mapping.statements)
    if (statement.kind === "MapDefinition" && !maps.has(statement.name.text))
      maps.set(statement.name.text, statement);
  for (const other of imported(mapping, scope)) collectMaps(other, scope, maps, met);
}

function imported(mapping: Mapping, scope: MappingScope): readonly Mapping[] {
  const paths = mapping.from === undefined ? [] : [mapping.from.value];
  for (const statement of mapping.statements)
    if (statement.kind === "Import") paths.push(statement.path.value);
  return paths.flatMap((path) => {
    const loaded = scope.load?.(path, mapping.source);
    return loaded !== undefined && "mapping" in loaded ? [loaded.mapping] : [];
  });
}

/** Variables of a mapping are not those of the maps in it. */
function collectVariables(statements: readonly Statement[], scope: string, names: Names): void {
  const visit = (node: MappingNode): void => {
    if (node.kind === "MapDefinition") {
      collectVariables(node.statements, placeOf(node.span), names);
      return;
    }
    if (node.kind === "Let") names.declare("variable", scope, node.name.text, withoutQuotes(node.name.span));
    if (node.kind === "Variable")
      names.use("variable", scope, node.name, { ...node.span, start: node.span.end - node.name.length });
    for (const child of childrenOf(node)) visit(child);
  };
  for (const statement of statements) visit(statement);
}

function withoutQuotes(span: Span): Span {
  const { source, start, end } = span;
  return source.text[start] === '"' ? spanOf(source, start + 1, end - 1) : span;
}

/** The text between the quotes; `undefined` where it is written in escapes. */
function insideQuotes({ span, value, raw }: StringLiteral): Span | undefined {
  const quotes = raw ? 3 : 1;
  const inner = spanOf(span.source, span.start + quotes, span.end - quotes);
  return span.source.text.slice(inner.start, inner.end) === value ? inner : undefined;
}

function collectResources({ set, scripts }: Analysis, names: Names): void {
  for (const stream of set?.apis.flatMap((api) => api.streams) ?? []) {
    const scope = placeOf(stream.nameSpan);
    for (const { role, label, labelSpan } of stream.resources ?? [])
      if (label !== undefined) names.declare("resource", `${scope} ${role}`, label, labelSpan);
    const use = (role: Role, label: string, span: Span) =>
      names.use("resource", `${scope} ${role}`, label, span);
    if (set !== undefined)
      walkFields(
        { path: [], schema: documentSchemas.stream, node: stream.node },
        set.dialect.components,
        use,
      );
    for (const {
      field,
      scope: { builtins },
    } of scripts) {
      if (!isInStream(field.span, stream)) continue;
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
  return source.file === node.span.source.file && offset >= node.span.start && offset <= node.span.end;
}

/** Every place of a stream that names a resource by its label. */
function walkFields(
  place: DocumentPlace,
  components: Parameters<typeof entryPlace>[2],
  use: (role: Role, label: string, span: Span) => void,
): void {
  const { node, schema, entry, parent } = place;
  if (node.kind === "map")
    for (const each of node.entries) walkFields(entryPlace(place, each, components), components, use);
  if (node.kind === "list") {
    const shorthand = schema?.["x-shorthand"];
    const list = shorthand === undefined ? schema : schema?.properties?.[shorthand];
    for (const item of node.items)
      walkFields({ path: [], schema: list?.items, node: item, parent: place }, components, use);
  }
  if (node.kind !== "scalar" || typeof node.value !== "string") return;
  const held = parent?.schema?.["x-component"];
  const role = schema?.["x-resource"] ?? (entry?.key === "resource" ? held : undefined);
  if (role !== undefined) use(role, node.value, node.span);
}

/** `#/components/schemas/Order` and what it leads to. */
function collectReferences(
  node: DocumentNode,
  path: string,
  root: DocumentNode,
  analysis: Analysis,
  names: Names,
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

function collectReference(text: string, span: Span, path: string, { set }: Analysis, names: Names): void {
  const reference = parseReference(text);
  if (reference.kind !== "place" || typeof reference.place === "string") return;
  const [first, section = "", name = "", ...rest] = reference.place;
  if (first !== "components" || name === "" || rest.length > 0 || !text.endsWith(`/${name}`)) return;
  const file = reference.path === undefined ? path : resolvePath(path, reference.path);
  const document = set?.documents.find((each) => each.file.path === file);
  const entry = findEntry(findEntry(findEntry(document?.root, "components")?.value, section)?.value, name);
  if (entry === undefined || findFileRange(span) === undefined) return;
  const scope = `${file} ${section}`;
  names.declare("component", scope, name, withoutQuotes(entry.keySpan));
  names.use("component", scope, name, { ...span, start: span.end - name.length });
}
