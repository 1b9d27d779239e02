// The scalar nodes of a tree. Their decoded text, and its table of offsets, is built when first asked for.

import { type SourceFile, type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { ScalarNode } from "./tree.ts";

/** Builds the located text of a scalar; called at most once. */
export type DecodeText = () => SourceText;

/** A scalar whose text stands in the file as it is, from `start` to `end`. */
export function createPlainScalar(
  file: SourceFile,
  value: ScalarNode["value"],
  start: number,
  end: number,
): ScalarNode {
  return {
    kind: "scalar",
    value,
    get span() {
      return spanOf(file, start, end);
    },
    get text() {
      return sliceText(file, start, end);
    },
  };
}

/** A string whose text has to be decoded from the file. */
export function createDecodedScalar(
  value: string,
  findSpan: (text: SourceText) => Span,
  decode: DecodeText,
): ScalarNode {
  let text: SourceText | undefined;
  const node: ScalarNode = {
    kind: "scalar",
    value,
    get span() {
      return findSpan(node.text);
    },
    get text() {
      text ??= decode();
      return text;
    },
  };
  return node;
}

/** The part of a file from `start` to `end` as a text of its own. */
export function sliceText(file: SourceFile, start: number, end: number): SourceText {
  return {
    file,
    text: file.text.slice(start, end),
    offsetInFile: (offset) => Math.min(start + offset, end),
  };
}
