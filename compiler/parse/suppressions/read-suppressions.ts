// Reads all suppressions of a set: comments in its YAML files and mappings, and `x-gw-ignore` entries.

import { CST, Lexer } from "yaml";
import type { Suppression } from "../../diagnostics/levels.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { isJson, type SourceFile, type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { FieldNode, LoadedDocument } from "../../trees/api.ts";
import { readIgnore } from "./ignore-entries.ts";
import { mayHoldComment, readComment } from "./read-comment.ts";

/** The parts of a set that may contain suppressions. */
interface SuppressionSources {
  readonly documents: readonly LoadedDocument[];
  /** Texts in the mapping language, inside documents and in files of their own. */
  readonly mappings: Iterable<SourceText>;
}

/** Returns the suppressions of a set. Suppressions without effect are reported, each once, and left out. */
export function readSuppressions(sources: SuppressionSources, report: Report): readonly Suppression[] {
  const { documents, mappings } = sources;
  const inYaml = documents.flatMap(({ file }) =>
    isJson(file) || !mayHoldComment(file.text) ? [] : findYamlComments(file),
  );
  const inMappings = [...mappings].flatMap((source) =>
    mayHoldComment(source.text) ? findMappingComments(source) : [],
  );
  return [
    ...uniqueByPlace([...inYaml, ...inMappings]).flatMap((comment) => readComment(comment, report)),
    ...documents.flatMap(({ ignores }) => ignores.flatMap((entry) => readIgnore(entry, report))),
  ];
}

/** Returns the texts of configured mappings and queries. */
export function* mappingTexts(fields: Iterable<FieldNode>): Iterable<SourceText> {
  for (const field of fields) {
    if (field.kind === "Mapping") yield field.mapping.source;
    if (field.kind === "Query") yield field.query.span.source;
  }
}

/** Returns each comment once: a mapping with a YAML anchor appears again with every alias. */
function uniqueByPlace(comments: readonly Span[]): readonly Span[] {
  const found = new Map<string, Span>();
  for (const comment of comments) {
    const { file } = comment.source;
    const place = `${comment.source.offsetInFile(comment.start)} ${file.path}`;
    if (!found.has(place)) found.set(place, comment);
  }
  return [...found.values()];
}

/** Returns the comments of a YAML file, each from its `#` to the end of its line. */
function findYamlComments(file: SourceFile): readonly Span[] {
  const comments: Span[] = [];
  let at = 0;
  let isScalar = false;
  // The reader's lexer announces scalars with a mark of its own, which is not part of the file.
  for (const lexeme of new Lexer().lex(file.text)) {
    if (isMark(lexeme)) {
      isScalar = lexeme === CST.SCALAR;
      continue;
    }
    if (!isScalar && lexeme.startsWith("#")) comments.push(spanOf(file, at, at + lexeme.length));
    at += lexeme.length;
    isScalar = false;
  }
  return comments;
}

function isMark(lexeme: string): boolean {
  return lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END;
}

/** Matches comments, and strings of both kinds in order to skip their content. */
const stringOrComment = /"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"|#[^\r\n]*/g;

/** Returns the comments of a text in the mapping language that parses. */
function findMappingComments(source: SourceText): readonly Span[] {
  return [...source.text.matchAll(stringOrComment)].flatMap(({ 0: text, index }) =>
    text.startsWith("#") ? [spanOf(source, index, index + text.length)] : [],
  );
}
