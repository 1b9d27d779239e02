// Everything a set suppresses: comments of its YAML files, of its mappings, and `x-gw-ignore` entries.

import { CST, Lexer } from "yaml";
import type { Suppression } from "../../diagnostics/levels.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { isJson, type SourceFile, type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { FieldNode, LoadedDocument } from "../../trees/api.ts";
import { readIgnore } from "./ignore-entries.ts";
import { mayHoldComment, readComment } from "./read-comment.ts";

/** What of a set can hold suppressions. */
interface SuppressionSources {
  readonly documents: readonly LoadedDocument[];
  /** Texts in the mapping language, inside documents and in files of their own. */
  readonly mappings: Iterable<SourceText>;
}

/** The suppressions of a set. Those without effect are reported, each once, and left out. */
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

/** The texts of configured mappings and queries. */
export function* mappingTexts(fields: Iterable<FieldNode>): Iterable<SourceText> {
  for (const field of fields) {
    if (field.kind === "Mapping") yield field.mapping.source;
    if (field.kind === "Query") yield field.query.span.source;
  }
}

/** A mapping behind a YAML anchor is met wherever an alias repeats it; its comments are written once. */
function uniqueByPlace(comments: readonly Span[]): readonly Span[] {
  const found = new Map<string, Span>();
  for (const comment of comments) {
    const { file } = comment.source;
    const place = `${comment.source.offsetInFile(comment.start)} ${file.path}`;
    if (!found.has(place)) found.set(place, comment);
  }
  return [...found.values()];
}

/** The comments of a YAML file, each from its `#` to the end of its line. */
function findYamlComments(file: SourceFile): readonly Span[] {
  const comments: Span[] = [];
  let at = 0;
  let isScalar = false;
  // The reader's own lexer: it announces text by a mark of its own, which is not in the file.
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

/** Strings of both kinds, to pass over what is in them, and comments. */
const stringOrComment = /"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"|#[^\r\n]*/g;

/** The comments of a text in the mapping language that parses. */
function findMappingComments(source: SourceText): readonly Span[] {
  return [...source.text.matchAll(stringOrComment)].flatMap(({ 0: text, index }) =>
    text.startsWith("#") ? [spanOf(source, index, index + text.length)] : [],
  );
}
