// One scalar of the YAML reader as a node of the tree: its value, its place and its located text.

import { type CST, Scalar } from "yaml";
import { invariant } from "../../diagnostics/invariant.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { ScalarNode } from "../../trees/document.ts";
import { alignText } from "../document/decoded-text.ts";
import { createDecodedScalar, createPlainScalar } from "../document/nodes.ts";
import { type BlockScalar, decodeBlock } from "./block-text.ts";
import { decodeDoubleQuoted, decodePlain, decodeSingleQuoted } from "./flow-text.ts";

/** A scalar whose value JSON can hold. */
export function createScalar(
  file: SourceText,
  scalar: Scalar.Parsed,
  value: ScalarNode["value"],
): ScalarNode {
  const [start, end] = scalar.range;
  if (typeof value !== "string") return createPlainScalar(file, value, ...trimQuotes(scalar));
  switch (scalar.type) {
    case Scalar.QUOTE_SINGLE:
    case Scalar.QUOTE_DOUBLE:
      return createQuoted(file, scalar, value);
    case Scalar.BLOCK_LITERAL:
    case Scalar.BLOCK_FOLDED:
      return createBlock(file, scalar, value);
    default:
      if (file.text.slice(start, end) === value) return createPlainScalar(file, value, start, end);
      return createDecodedScalar(
        value,
        () => spanOf(file, start, end),
        () => settle(file, decodePlain(file, start, end), value, start, end),
      );
  }
}

function createQuoted(file: SourceText, scalar: Scalar.Parsed, value: string): ScalarNode {
  const [start, end] = trimQuotes(scalar);
  if (file.text.slice(start, end) === value) return createPlainScalar(file, value, start, end);
  const decode = scalar.type === Scalar.QUOTE_SINGLE ? decodeSingleQuoted : decodeDoubleQuoted;
  return createDecodedScalar(
    value,
    () => spanOf(file, start, end),
    () => settle(file, decode(file, start, end), value, start, end),
  );
}

function createBlock(file: SourceText, scalar: Scalar.Parsed, value: string): ScalarNode {
  const token = scalar.srcToken;
  invariant(token?.type === "block-scalar", "a block scalar has its source token");
  const block = locateBlock(file, token);
  const whole = withSpaces(file, block, value);
  const written = endsFile(file, block) ? withoutAddedBreak(file, block, whole) : whole;
  return createDecodedScalar(
    written,
    () => findBlockSpan(file, block),
    () => settle(file, decodeBlock(file, block), written, block.start, block.end),
  );
}

function endsFile({ text }: SourceText, { end }: BlockScalar): boolean {
  return end === text.length && !text.endsWith("\n");
}

/** The reader drops lines at the end that are spaces only, though what is beyond the indentation is content. */
function withSpaces(file: SourceText, block: BlockScalar, value: string): string {
  const content = file.text.slice(block.start, block.end);
  if (!content.slice(content.trimEnd().length).includes("\n ")) return value;
  const { text } = decodeBlock(file, block);
  return text.startsWith(value) && text.slice(value.length).trim() === "" ? text : value;
}

/** The reader ends the last line of a file with a break that is not there. */
function withoutAddedBreak(file: SourceText, block: BlockScalar, value: string): string {
  const { text } = decodeBlock(file, block);
  return value === `${text}\n` ? text : value;
}

/** From the first character of the content to its last, without the line breaks around it. */
function findBlockSpan(file: SourceText, { start, end }: BlockScalar): Span {
  const content = file.text.slice(start, end);
  if (content.trim() === "") return spanOf(file, start, start);
  const first = content.length - content.trimStart().length;
  return spanOf(file, start + first, start + content.trimEnd().length);
}

function locateBlock({ text }: SourceText, token: CST.BlockScalar): BlockScalar {
  let start = token.offset;
  let header = "";
  for (const prop of token.props) {
    if (!("source" in prop)) continue;
    if (prop.type === "block-scalar-header") header = prop.source;
    start += prop.source.length;
  }
  let end = start + token.source.length;
  // Behind a header that says the indentation, the reader takes lines of spaces at the end for what follows.
  if (/[1-9]/.test(header) && text.charAt(end - 1) === "\n")
    end += /^(?:[ ]*\r?\n)*/.exec(text.slice(end))?.[0].length ?? 0;
  return { header, parentIndent: token.indent, start, end };
}

function trimQuotes(scalar: Scalar.Parsed): [number, number] {
  const [start, end] = scalar.range;
  const isQuoted = scalar.type === Scalar.QUOTE_SINGLE || scalar.type === Scalar.QUOTE_DOUBLE;
  return isQuoted ? [start + 1, end - 1] : [start, end];
}

/**
 * The reader's value is the truth. Where it departs from the specification (U+2028 in a folded scalar, say)
 * the places are found by looking the value up.
 */
function settle(
  file: SourceText,
  decoded: SourceText,
  value: string,
  start: number,
  end: number,
): SourceText {
  return decoded.text === value ? decoded : alignText(file, value, start, end);
}
