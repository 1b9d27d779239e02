// Where comments stand: in YAML files and in mappings. A `#` inside quotes or a block of text is none.

import { CST, Lexer } from "yaml";
import { type SourceFile, type SourceText, type Span, spanOf } from "../../source/source.ts";

/** The comments of a YAML file, each from its `#` to the end of its line. */
export function findYamlComments(file: SourceFile): readonly Span[] {
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
export function findMappingComments(source: SourceText): readonly Span[] {
  return [...source.text.matchAll(stringOrComment)].flatMap(({ 0: text, index }) =>
    text.startsWith("#") ? [spanOf(source, index, index + text.length)] : [],
  );
}
