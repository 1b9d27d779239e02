// The outline of a document: its streams with their components, its resources, the maps and variables of its scripts.

import { type DocumentSymbol, SymbolKind, type WorkspaceSymbol } from "vscode-languageserver";
import { componentsOf } from "../../compiler/model/components.ts";
import { findTests, readTests } from "../../compiler/model/unit-tests.ts";
import { entriesOf } from "../../compiler/model/written.ts";
import { nameOf } from "../../compiler/parse/document/paths.ts";
import { isLong, offsetsOf, type Span } from "../../compiler/source/source.ts";
import type { ApiDocument, ComponentNode, StreamNode } from "../../compiler/trees/api.ts";
import { type DocumentNode, findEntry, findNode } from "../../compiler/trees/document.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { type Analysis, documentAt } from "../analysis/analysis.ts";
import { type Named, placeOf } from "../analysis/collected-names.ts";
import { namesIn } from "../analysis/names.ts";
import { contains, rangeIn, rangeOf } from "../analysis/positions.ts";
import { treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";

/** Returns the outline of a document. */
export function documentSymbols(analysis: Analysis, path: string): readonly DocumentSymbol[] {
  const streams = analysis.set?.apis.filter(({ file }) => absolutePath(file.path) === path) ?? [];
  const found = streams.flatMap((api) => api.streams.map((stream) => streamSymbol(stream, path)));
  const root = documentAt(analysis, path)?.root;
  const all = [...settingsSymbols(root), ...found, ...testSymbols(root)];
  return all.length > 0 || !isMappingName(path) ? all : scriptSymbols(analysis, path);
}

/** Returns the cases of unit tests. */
function testSymbols(root: DocumentNode | undefined): readonly DocumentSymbol[] {
  const tests = root && findTests(root);
  if (root === undefined || tests?.value.kind !== "list") return [];
  const cases = readTests(root).map(({ name, node, targetMapping, targetProcessors }) => {
    const own = findEntry(node, "name")?.value.span ?? firstKey(node) ?? node.span;
    return symbol(name, targetMapping ?? targetProcessors, SymbolKind.Method, own, node.span).symbol;
  });
  const whole = symbol(tests.key, "tests", SymbolKind.Module, tests.keySpan, tests.value.span).symbol;
  return [{ ...whole, children: cases }];
}

/** Returns the sections of a `gateway.yaml`, and the parts of their lists and objects. */
function settingsSymbols(root: DocumentNode | undefined): readonly DocumentSymbol[] {
  if (root?.kind !== "map" || findEntry(root, "apis") === undefined) return [];
  return root.entries.map(({ key, keySpan, value }) => ({
    ...symbol(key, "", SymbolKind.Module, keySpan, value.span).symbol,
    children: partsOf(value),
  }));
}

function partsOf(value: DocumentNode): DocumentSymbol[] {
  if (value.kind === "map")
    return value.entries.map(
      (entry) => symbol(entry.key, "", SymbolKind.Property, entry.keySpan, entry.value.span).symbol,
    );
  if (value.kind !== "list") return [];
  return value.items.flatMap((item) => {
    const named = item.kind === "scalar" ? item : (findNode(item, "id") ?? findNode(item, "name"));
    return named?.kind === "scalar"
      ? [symbol(String(named.value), "", SymbolKind.Property, named.span, item.span).symbol]
      : [];
  });
}

function firstKey(node: DocumentNode): Span | undefined {
  return node.kind === "map" ? node.entries[0]?.keySpan : undefined;
}

/** Returns the declared elements of a set whose name contains the query, ignoring case. */
export function workspaceSymbols(
  analysis: Analysis,
  query: string,
  texts: OpenTexts,
): readonly WorkspaceSymbol[] {
  const wanted = query.toLowerCase();
  const met = new Set<string>();
  return declaredElements(analysis).flatMap(({ name, kind, span, containerName }) => {
    if (!name.toLowerCase().includes(wanted) || met.has(placeOf(span))) return [];
    met.add(placeOf(span));
    const location = { uri: texts.uriOf(absolutePath(span.source.file.path)), range: rangeOf(span) };
    return [{ name, kind, location, containerName }];
  });
}

/** An element that a set declares, with the name of what contains it. */
interface DeclaredElement extends Pick<WorkspaceSymbol, "name" | "kind"> {
  readonly span: Span;
  readonly containerName: string;
}

function declaredElements(analysis: Analysis): readonly DeclaredElement[] {
  const apis = analysis.set?.apis ?? [];
  return [
    ...apis.flatMap((api) => [
      ...api.streams.flatMap((stream) => elementsOfStream(stream, api.id)),
      ...elementsOfComponents(api),
    ]),
    ...namesIn(analysis).flatMap(elementsOfName),
  ];
}

function elementsOfStream(stream: StreamNode, api: string): readonly DeclaredElement[] {
  const labelled = (label: string | undefined, kind: SymbolKind, span: Span | undefined, role: string) =>
    label === undefined || span === undefined
      ? []
      : [{ name: label, kind, span, containerName: `${stream.name}, ${role}` }];
  return [
    { name: stream.name, kind: SymbolKind.Class, span: stream.nameSpan, containerName: api },
    ...(stream.resources ?? []).flatMap(({ label, labelSpan, role }) =>
      labelled(label, SymbolKind.Object, labelSpan, role),
    ),
    ...componentsOf(stream).flatMap(({ label, node, role }) =>
      labelled(label, kindOf(role), findEntry(node, "label")?.value.span, role),
    ),
  ];
}

/** Returns the `components` of a document; none of a long one, whose search at each keystroke would take too long. */
function elementsOfComponents({
  file,
  root,
}: Pick<ApiDocument, "file" | "root">): readonly DeclaredElement[] {
  if (isLong(file)) return [];
  return entriesOf(findNode(root, "components")).flatMap(({ key: section, value }) =>
    entriesOf(value).map(({ key, keySpan }) => ({
      name: key,
      kind: SymbolKind.Struct,
      span: keySpan,
      containerName: section,
    })),
  );
}

function elementsOfName({ kind, name, declarations }: Named): readonly DeclaredElement[] {
  const shown = listedKinds[kind];
  if (shown === undefined) return [];
  return declarations.map((span) => ({
    name,
    kind: shown,
    span,
    containerName: kind === "map" ? nameOf(span.source.file.path) : kind,
  }));
}

/** The kinds of names that users search for, in addition to streams, labels and components. */
const listedKinds: Partial<Record<Named["kind"], SymbolKind>> = {
  map: SymbolKind.Function,
  policy: SymbolKind.Key,
  API: SymbolKind.Module,
  topic: SymbolKind.Event,
};

function streamSymbol(stream: StreamNode, path: string): DocumentSymbol {
  const { name, nameSpan, node, input, processors, output, deadLetter, resources = [] } = stream;
  const components = [input, ...processors, output, deadLetter].filter((each) => each !== undefined);
  const children = [
    ...components.map(componentSymbol),
    ...resources.flatMap(({ label, labelSpan, role }) =>
      label === undefined ? [] : [symbol(label, role, SymbolKind.Object, labelSpan, labelSpan)],
    ),
  ].filter((each) => each !== undefined && absolutePath(each.file) === path);
  const own = symbol(name, "stream", SymbolKind.Class, nameSpan, node.span).symbol;
  const parts = children.flatMap((each) => (each === undefined ? [] : [each.symbol]));
  // The content of an alias belongs to the outline of the place where it is written.
  return { ...own, children: parts.filter(({ range }) => contains(own.range, range)) };
}

/** Returns the symbol of a component; `undefined` for one that could not be parsed and has no name. */
function componentSymbol({ name, nameSpan, label, role, node }: ComponentNode) {
  return name === ""
    ? undefined
    : symbol(
        label ?? name,
        label === undefined ? role : `${role} ${name}`,
        kindOf(role),
        nameSpan,
        node.span,
      );
}

function kindOf(role: ComponentNode["role"]): SymbolKind {
  return role === "processor" ? SymbolKind.Function : SymbolKind.Interface;
}

function symbol(name: string, detail: string, kind: SymbolKind, own: Span, whole: Span) {
  const [inner, outer] = [offsetsOf(own), offsetsOf(whole)];
  const { file } = own.source;
  // With an alias, the content is elsewhere: then the symbol covers only the name.
  const isAround = whole.source.file === file && outer.end >= inner.end;
  const end = isAround ? outer.end : inner.end;
  const start = isAround ? Math.min(inner.start, outer.start) : inner.start;
  const range = rangeIn(file, start, end);
  return {
    file: file.path,
    symbol: { name: name === "" ? "(unnamed)" : name, detail, kind, range, selectionRange: rangeOf(own) },
  };
}

function scriptSymbols(analysis: Analysis, path: string): readonly DocumentSymbol[] {
  const script = analysis.scripts.find(
    ({ field }) => absolutePath(treeOf(field).span.source.file.path) === path,
  );
  const tree = script && treeOf(script.field);
  if (tree?.kind !== "Mapping") return [];
  return tree.statements.flatMap((statement) => {
    if (statement.kind === "MapDefinition")
      return [
        symbol(statement.name.text, "map", SymbolKind.Function, statement.name.span, statement.span).symbol,
      ];
    return statement.kind === "Let"
      ? [
          symbol(statement.name.text, "variable", SymbolKind.Variable, statement.name.span, statement.span)
            .symbol,
        ]
      : [];
  });
}
