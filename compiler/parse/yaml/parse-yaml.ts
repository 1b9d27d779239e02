// Parses a YAML 1.2 file into a tree with source ranges. Reports invalid YAML, and valid YAML that a JSON value cannot
// represent.

import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser } from "yaml";
import { type Report, watchReports } from "../../diagnostics/sink.ts";
import { type SourceText, spanOf } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { maximumDepth } from "../document/limits.ts";
import { buildTree } from "./build-tree.ts";
import { readBlocks } from "./read-blocks.ts";
import { reportSyntaxErrors } from "./syntax-errors.ts";

/**
 * Returns the tree of a YAML file; `undefined` if the errors that were reported leave nothing to check. `limit`: the
 * maximum depth of nested maps and lists.
 */
export function parseYaml(file: SourceText, report: Report, limit = maximumDepth): DocumentNode | undefined {
  const blocks = readBlocks(file, limit, (start, end, depth) =>
    parsePart(file, { start, end }, limit - depth),
  );
  return blocks ?? parseWhole(file, report, limit);
}

/** Returns the tree of a whole file, read by the YAML reader. */
export function parseWhole(file: SourceText, report: Report, limit: number): DocumentNode | undefined {
  const [document, second] = compose(file, { start: 0, end: file.text.length }, report, limit);
  if (document === undefined) return undefined;
  if (reportSyntaxErrors(file, document, report)) return undefined;
  if (second !== undefined) {
    const start = file.text.lastIndexOf("---", second.contents?.range[0] ?? file.text.length);
    report("GW1013", spanOf(file, Math.max(start, 0), Math.max(start, 0) + 3), {});
    return undefined;
  }
  let isWhole = true;
  const { tree, repeats } = buildTree(file, document, (code, span, details, related) => {
    report(code, span, details, related);
    // A duplicate key leaves a usable tree with the first value. Other problems leave gaps in the tree, and errors that
    // follow from the gaps would not be the user's mistakes.
    if (code !== "GW1012") isWhole = false;
  });
  if (!isWhole) return undefined;
  if (repeats) anchored.add(tree);
  return tree;
}

/** Returns the tree of a part of whole lines; `undefined` if it contains an error, an anchor or an alias. */
function parsePart(file: SourceText, part: TextPart, limit: number): DocumentNode | undefined {
  const problems = watchReports();
  const [document, second] = compose(file, part, problems.report, limit);
  if (document === undefined || second !== undefined) return undefined;
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  const { tree, repeats } = buildTree(file, document, problems.report);
  return !problems.hasReported() && !repeats ? tree : undefined;
}

/** A part of a text. */
interface TextPart {
  readonly start: number;
  readonly end: number;
}

/** Returns the documents of a part, none if it nests too deeply. Their offsets refer to the whole text. */
function compose(
  file: SourceText,
  part: TextPart,
  report: Report,
  limit: number,
): readonly Document.Parsed[] {
  const tokens = tokenize(file, part, report, limit);
  if (tokens === undefined) return [];
  const composer = new Composer<ParsedNode>({
    version: "1.2",
    schema: "core",
    merge: true,
    intAsBigInt: true,
    keepSourceTokens: true,
    // `buildTree` finds duplicates: it knows both places and does not take quadratic time.
    uniqueKeys: false,
  });
  return [...composer.compose(tokens, true, part.end)];
}

/** Trees of documents with anchors or aliases: a place in them may belong to several parts. */
const anchored = new WeakSet<DocumentNode>();

/** Whether a tree was read from a document with anchors or aliases. */
export function isAnchored(root: DocumentNode): boolean {
  return anchored.has(root);
}

/** Splits a part into tokens; stops if it nests too deeply. */
function tokenize(
  file: SourceText,
  { start, end }: TextPart,
  report: Report,
  limit: number,
): readonly CST.Token[] | undefined {
  const parser = new Parser();
  parser.offset = start;
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(file.text.slice(start, end))) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > limit + 1) {
      report("GW1007", spanOf(file, parser.offset, parser.offset + 1), { limit });
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}
