// Scripts in colour, wherever they stand: editors see a text in YAML or JSON and know nothing of its language.

import { type SemanticTokens, SemanticTokensBuilder } from "vscode-languageserver";
import type { Span } from "../../compiler/source/source.ts";
import type { MappingNode } from "../../compiler/trees/mapping.ts";
import { walk } from "../../compiler/trees/walk.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The kinds of tokens, in the order of their numbers. */
export const tokenTypes = [
  "keyword",
  "variable",
  "property",
  "function",
  "method",
  "string",
  "number",
  "parameter",
] as const;

type TokenType = (typeof tokenTypes)[number];

/** The tokens of the scripts in a document. */
export function semanticTokens(analysis: Analysis, path: string): SemanticTokens {
  const found = new Map<
    string,
    { readonly line: number; readonly character: number; readonly length: number; readonly type: TokenType }
  >();
  const add = (span: Span, type: TokenType): void => {
    const { start, end } = rangeOf(span);
    // Editors take no token of several lines.
    if (span.end <= span.start || start.line !== end.line) return;
    const key = `${start.line} ${start.character}`;
    if (!found.has(key)) found.set(key, { ...start, length: end.character - start.character, type });
  };
  for (const { field } of analysis.scripts) {
    const tree = treeOf(field);
    if (absolutePath(tree.span.source.file.path) === path) addTokens(tree, add);
  }
  const builder = new SemanticTokensBuilder();
  const sorted = [...found.values()].sort(
    (one, other) => one.line - other.line || one.character - other.character,
  );
  let line = -1;
  let end = 0;
  for (const token of sorted) {
    if (token.line === line && token.character < end) continue;
    builder.push(token.line, token.character, token.length, tokenTypes.indexOf(token.type), 0);
    line = token.line;
    end = token.character + token.length;
  }
  return builder.build();
}

function addTokens(tree: MappingNode, add: (span: Span, type: TokenType) => void): void {
  const word = (node: MappingNode, length: number) =>
    add({ ...node.span, end: node.span.start + length }, "keyword");
  walk(tree, {
    Import: (node) => word(node, "import".length),
    MapDefinition: (node) => {
      word(node, "map".length);
      add(node.name.span, "function");
    },
    Let: (node) => {
      word(node, "let".length);
      add(node.name.span, "variable");
    },
    MetaAssign: (node) => {
      word(node, "meta".length);
      if (node.key !== undefined) add(node.key.span, "property");
    },
    Assign: (node) => {
      if (node.rooted) word(node, "root".length);
      for (const { span } of node.target) add(span, "property");
    },
    IfStatement: (node) => word(node, "if".length),
    IfExpression: (node) => word(node, "if".length),
    MatchExpression: (node) => word(node, "match".length),
    This: ({ span }) => add(span, "keyword"),
    Root: ({ span }) => add(span, "keyword"),
    NullLiteral: ({ span }) => add(span, "keyword"),
    BooleanLiteral: ({ span }) => add(span, "keyword"),
    IntegerLiteral: ({ span }) => add(span, "number"),
    FloatLiteral: ({ span }) => add(span, "number"),
    StringLiteral: ({ span }) => add(span, "string"),
    Variable: ({ span }) => add(span, "variable"),
    ContextName: ({ span }) => add(span, "parameter"),
    Metadata: ({ span }) => add(span, "property"),
    Lambda: ({ parameter }) => add(parameter.span, "parameter"),
    FieldAccess: ({ name }) => add(name.span, "property"),
    MethodCall: ({ name }) => add(name.span, "method"),
    FunctionCall: ({ name }) => add(name.span, "function"),
  });
}
