// The anchors of YAML documents and the aliases that refer to them.

import { CST, Lexer } from "yaml";
import { isJson, offsetsOf, type SourceFile, type Span, spanOf } from "../../compiler/source/source.ts";
import type { LoadedDocument } from "../../compiler/trees/api.ts";
import type { DocumentNode } from "../../compiler/trees/document.ts";
import type { CollectedNames } from "./collected-names.ts";

/** Matches text that may contain an anchor or alias; `*` and `&` are also operators of mappings. */
const mayHold = /(?:^|[\s[{,:-])[&*][^\s&*=]/m;

/**
 * Collects anchors with their aliases. An anchor that is declared again is another anchor from there on (YAML 1.2.2,
 * section 7.1).
 */
export function collectAnchors(file: SourceFile, names: CollectedNames): void {
  if (isJson(file) || !mayHold.test(file.text)) return;
  const scopes = new Map<string, string>();
  for (const { sign, name, span } of signsIn(file)) {
    if (sign === "&") scopes.set(name, `${file.path} ${span.start}`);
    const scope = scopes.get(name);
    if (scope === undefined) continue;
    if (sign === "&") names.declare("anchor", scope, name, span);
    else names.use("anchor", scope, name, span);
  }
}

/** Returns the node of an anchor: the first node that begins after it. */
export function anchoredNode({ root }: Pick<LoadedDocument, "root">, anchor: Span): DocumentNode | undefined {
  const { end } = offsetsOf(anchor);
  let found: { readonly node: DocumentNode; readonly start: number } | undefined;
  const seen = new Set<DocumentNode>();
  const visit = (node: DocumentNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const { start } = offsetsOf(node.span);
    // Of several nodes with the same beginning, the outermost is visited first.
    if (start >= end && (found === undefined || start < found.start)) found = { node, start };
    if (node.kind === "list") node.items.forEach(visit);
    if (node.kind === "map") for (const { value } of node.entries) visit(value);
  };
  visit(root);
  return found?.node;
}

interface Sign {
  readonly sign: "&" | "*";
  readonly name: string;
  /** The name without its sign. */
  readonly span: Span;
}

function signsIn(file: SourceFile): readonly Sign[] {
  const found: Sign[] = [];
  let at = 0;
  let isScalar = false;
  // The parser's own lexer: it marks scalars with an additional lexeme that is not part of the file.
  for (const lexeme of new Lexer().lex(file.text)) {
    if (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) {
      isScalar = lexeme === CST.SCALAR;
      continue;
    }
    const sign = lexeme[0];
    if (!isScalar && (sign === "&" || sign === "*"))
      found.push({ sign, name: lexeme.slice(1), span: spanOf(file, at + 1, at + lexeme.length) });
    at += lexeme.length;
    isScalar = false;
  }
  return found;
}
