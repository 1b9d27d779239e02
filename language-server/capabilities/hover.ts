// Hovers for the element under the pointer: in mappings the type of an expression, the origin of its value and why it
// may fail; elsewhere the meaning of a component, field or route.

import type { Hover } from "vscode-languageserver";
import { knownType } from "../../compiler/check/inference/infer.ts";
import type { ObservedScript } from "../../compiler/check/observer.ts";
import { locate, offsetsOf, type Span } from "../../compiler/source/source.ts";
import { fieldsOf } from "../../compiler/trees/fields.ts";
import type { Expression, Lambda, MappingNode, Name } from "../../compiler/trees/mapping.ts";
import { walk } from "../../compiler/trees/walk.ts";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { type Type, unknown } from "../../compiler/value-types/type.ts";
import { type Analysis, dialectOf, documentAt, withoutSecrets } from "../analysis/analysis.ts";
import { type DocumentPlace, isOnKey, placeAt } from "../analysis/document-place.ts";
import { isWithin, rangeOf } from "../analysis/positions.ts";
import { nodesAt, scriptAt, treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";
import { hoverOfAnchor, shownNode } from "./hover-anchor.ts";
import {
  codeBlock,
  describeBuiltin,
  describeComponent,
  describeField,
  type MarkdownHover,
} from "./markdown.ts";
import { referenceTarget } from "./navigation.ts";
import { routeAt } from "./routes.ts";

/** The maximum length of types in hovers, which may be longer than in messages. */
const longestType = 600;

/** Returns the hover at an offset of a document; `null` if there is none. */
export function hoverAt(analysis: Analysis, path: string, offset: number): Hover | null {
  const script = scriptAt(analysis, path, offset);
  const hover =
    hoverOfAnchor(analysis, path, offset) ??
    // The purpose of the field that contains a script is shown at its key.
    (script === undefined
      ? hoverInDocument(analysis, path, offset)
      : hoverInScript(script, analysis, offset));
  if (hover === null || hover === undefined) return null;
  const { contents } = hover;
  return { ...hover, contents: { ...contents, value: withoutSecrets(analysis, contents.value) } };
}

function hoverOf(value: string, span: Span): MarkdownHover {
  return { contents: { kind: "markdown", value }, range: rangeOf(span) };
}

function hoverInScript(
  script: ObservedScript,
  analysis: Analysis,
  offset: number,
): MarkdownHover | undefined {
  const nodes = nodesAt(treeOf(script.field), offset);
  const node = nodes.at(-1);
  if (node === undefined) return undefined;
  const builtins = script.scope.builtins ?? dialectOf(analysis).builtins;
  const around = nodes.at(-2);
  if (node.kind === "Name" && (around?.kind === "MethodCall" || around?.kind === "FunctionCall")) {
    const builtin =
      around.kind === "MethodCall" ? builtins.findMethod(node.text) : builtins.findFunction(node.text);
    const type = `${node.text}(…): ${shown(knownType(around, script.types))}`;
    const failures = failuresIn(script, around.span);
    const parts = [
      codeBlock(type),
      ...(builtin === undefined ? [] : [describeBuiltin(builtin)]),
      ...failures,
    ];
    return hoverOf(parts.join("\n\n"), node.span);
  }
  if (node.kind === "Name") return hoverOfName(node, around, script);
  if (node.kind === "Assign" && node.target.length === 0) {
    const span = { ...node.span, end: node.span.start + "root".length };
    if (isWithin(span, offset))
      return hoverOf(codeBlock(`root: ${shown(knownType(node.value, script.types))}`), span);
  }
  return isTyped(node) ? hoverOfExpression(node, script) : undefined;
}

function hoverOfName(
  name: Name,
  around: MappingNode | undefined,
  script: ObservedScript,
): MarkdownHover | undefined {
  switch (around?.kind) {
    case "FieldAccess": {
      const read = fieldOf(knownType(around.receiver, script.types), name.text);
      const type = knownType(around, script.types);
      const parts = [
        codeBlock(`${name.text}: ${shown(type)}`),
        ...originOf(read.span),
        ...failuresIn(script, around.span),
      ];
      return hoverOf(parts.join("\n\n"), name.span);
    }
    case "Assign": {
      const target = ["root", ...around.target.map(({ text }) => text)].join(".");
      return hoverOf(codeBlock(`${target}: ${shown(knownType(around.value, script.types))}`), name.span);
    }
    case "Let":
      return hoverOf(codeBlock(`$${name.text}: ${shown(knownType(around.value, script.types))}`), name.span);
    case "MetaAssign":
      return hoverOf(codeBlock(`@${name.text}: ${shown(knownType(around.value, script.types))}`), name.span);
    case "Lambda":
      return hoverOf(codeBlock(`${name.text}: ${shown(parameterType(around, script))}`), name.span);
    case "Metadata":
      return hoverOf(codeBlock(`@${name.text}: ${shown(knownType(around, script.types))}`), around.span);
    default:
      return undefined;
  }
}

/** Returns the type of a parameter according to its uses; unknown if it has none. */
function parameterType({ parameter, body }: Lambda, { types }: ObservedScript): Type {
  let found: Type = unknown;
  walk(body, {
    ContextName(node) {
      if (node.name === parameter.text) found = knownType(node, types);
    },
  });
  return found;
}

function hoverOfExpression(node: Expression, script: ObservedScript): MarkdownHover {
  const { source, start, end } = node.span;
  const text = source.text.slice(start, end).split("\n")[0] ?? "";
  const written = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  const parts = [
    codeBlock(`${written}: ${shown(knownType(node, script.types))}`),
    ...failuresIn(script, node.span),
  ];
  return hoverOf(parts.join("\n\n"), node.span);
}

/** Nodes that are not expressions; their parts have hovers of their own. */
const untyped: ReadonlySet<MappingNode["kind"]> = new Set([
  "Mapping",
  "Template",
  "TextPart",
  "QueryPart",
  "Import",
  "MapDefinition",
  "Let",
  "MetaAssign",
  "Assign",
  "IfStatement",
  "StatementBranch",
  "Name",
  "ObjectEntry",
  "Argument",
  "ExpressionBranch",
  "MatchCase",
]);

function isTyped(node: MappingNode): node is Expression {
  return !untyped.has(node.kind);
}

function shown(type: Type): string {
  return printType(type, { maximumLength: longestType });
}

function originOf(span: Span | undefined): readonly string[] {
  if (span === undefined) return [];
  const { file, start } = locate(span);
  return [`Declared in \`${file.path}\`, line ${start.line}.`];
}

function failuresIn({ failures }: ObservedScript, { source, start, end }: Span): readonly string[] {
  const own = failures.filter(({ span }) => span.source === source && span.start >= start && span.end <= end);
  const reasons = [...new Set(own.map(({ reason }) => reason))];
  return reasons.length === 0 ? [] : [`May fail: ${reasons.join("; ")}.`];
}

function hoverInDocument(analysis: Analysis, path: string, offset: number): MarkdownHover | null {
  const document = documentAt(analysis, path);
  if (document === undefined) return null;
  const route = routeAt(analysis, path, offset);
  if (route !== undefined) return hoverOf(route.text, route.span);
  const variable = hoverOfVariable(analysis, path, offset);
  if (variable !== undefined) return variable;
  const place = placeAt(document.root, offset, dialectOf(analysis).components);
  const text = describeReference(place, analysis, document.file.path) ?? describePlace(place, offset);
  if (text === undefined) return null;
  const span =
    isOnKey(place, offset) || place.node.kind !== "scalar" ? place.entry?.keySpan : place.node.span;
  if (span === undefined || !isInside(span, offset)) return null;
  return hoverOf(text, span);
}

/** Describes the target of a `$ref`. */
function describeReference(
  { entry, node }: DocumentPlace,
  analysis: Analysis,
  path: string,
): string | undefined {
  if (entry?.key !== "$ref" || node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  const target = referenceTarget(analysis, path, node.value);
  return target.node && [shownNode(target.node), ...originOf(target.node.span)].join("\n\n");
}

/** The most places that a hover lists. */
const mostPlaces = 10;

/** Describes an environment variable: its default, and the other places that read it. */
function hoverOfVariable({ set }: Analysis, path: string, offset: number): MarkdownHover | undefined {
  const variables = (set === undefined ? [] : [...fieldsOf(set)]).flatMap((field) =>
    field.kind === "Environment" || field.kind === "Template"
      ? field.parts.flatMap((part) => (part.kind === "Variable" ? [part] : []))
      : [],
  );
  const here = variables.find(
    ({ span }) => absolutePath(span.source.file.path) === path && isInside(span, offset),
  );
  if (here === undefined) return undefined;
  const places = new Set(
    variables.flatMap(({ name, span }) => {
      const { file, start } = locate(span);
      return name === here.name ? [`\`${file.path}\`, line ${start.line}`] : [];
    }),
  );
  const listed = [...places].slice(0, mostPlaces).map((each) => `- ${each}`);
  const more = places.size > mostPlaces ? [`- and ${places.size - mostPlaces} more`] : [];
  const fallback =
    here.fallback === undefined
      ? "It has no default here: the gateway does not start without it."
      : `Where it is not set: \`${here.fallback}\`.`;
  return hoverOf(
    [
      `**\`${here.name}\`** environment variable, read when the gateway starts`,
      fallback,
      ["Read in:", ...listed, ...more].join("\n"),
    ].join("\n\n"),
    here.span,
  );
}

function describePlace(place: DocumentPlace, offset: number): string | undefined {
  const { entry, schema, component, parent } = place;
  if (schema === undefined) return undefined;
  const isComponent = parent?.schema?.["x-component"] !== undefined && component?.schema === schema;
  if (isComponent && component !== undefined && isOnKey(place, offset)) return describeComponent(component);
  if (entry !== undefined)
    return describeField(entry.key, schema, parent?.schema?.required?.includes(entry.key) === true);
  return parent?.entry === undefined ? undefined : describeField(parent.entry.key, schema, false);
}

function isInside(span: Span, offset: number): boolean {
  const { start, end } = offsetsOf(span);
  return offset >= start && offset <= end;
}
