// Syntax highlighting of scripts: editors see only a text in YAML or JSON and do not know its language.

import {
  type Range,
  type SemanticTokens,
  SemanticTokensBuilder,
  type SemanticTokensDelta,
} from "vscode-languageserver";
import type { Span } from "../../compiler/source/source.ts";
import type { MappingNode } from "../../compiler/trees/mapping.ts";
import { walk } from "../../compiler/trees/walk.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { treeOf } from "../analysis/scripts.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The types of tokens, in the order of their numbers. */
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

/** The numbers per token: lines and characters since the previous one, its length, type and modifiers. */
const perToken = 5;

/** The tokens that were last sent to an editor, to send only what has changed. */
export interface SentTokens {
  /** Returns all tokens of a document. */
  all(uri: string, tokens: SemanticTokens): SemanticTokens;
  /** Returns the changes since the tokens that were sent as `previous`; all tokens if these are not known. */
  since(previous: string, uri: string, tokens: SemanticTokens): SemanticTokens | SemanticTokensDelta;
}

/** Returns an empty store of sent tokens. `isOpen`: whether an editor may still request the tokens of a document. */
export function createSentTokens(isOpen: (uri: string) => boolean): SentTokens {
  const sent = new Map<string, SemanticTokens>();
  let count = 0;
  const all = (uri: string, { data }: SemanticTokens): SemanticTokens => {
    for (const known of [...sent.keys()]) if (!isOpen(known)) sent.delete(known);
    const tokens = { resultId: `${++count}`, data };
    sent.set(uri, tokens);
    return tokens;
  };
  return {
    all,
    since(previous, uri, tokens) {
      const before = sent.get(uri);
      const now = all(uri, tokens);
      if (before?.resultId !== previous || now.resultId === undefined) return now;
      const [old, data] = [before.data, now.data];
      const shorter = Math.min(old.length, data.length);
      let start = 0;
      while (start < shorter && isSameToken(old, data, start, start)) start += perToken;
      let end = 0;
      while (
        end < shorter - start &&
        isSameToken(old, data, old.length - end - perToken, data.length - end - perToken)
      )
        end += perToken;
      const edit = {
        start,
        deleteCount: old.length - end - start,
        data: data.slice(start, data.length - end),
      };
      return {
        resultId: now.resultId,
        edits: edit.deleteCount === 0 && edit.data.length === 0 ? [] : [edit],
      };
    },
  };
}

function isSameToken(old: readonly number[], now: readonly number[], inOld: number, inNow: number): boolean {
  for (let index = 0; index < perToken; index++) if (old[inOld + index] !== now[inNow + index]) return false;
  return true;
}

/** Returns the tokens of the scripts in a document, or in the lines of a range of it. */
export function semanticTokens(analysis: Analysis, path: string, range?: Range): SemanticTokens {
  const found = new Map<
    string,
    { readonly line: number; readonly character: number; readonly length: number; readonly type: TokenType }
  >();
  const add = (span: Span, type: TokenType): void => {
    const { start, end } = rangeOf(span);
    // Editors do not support tokens with several lines.
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
    if (range !== undefined && (token.line < range.start.line || token.line > range.end.line)) continue;
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
