// The scalar nodes of a tree. Their spans, decoded text and its table of offsets are built when first asked
// for, and then stay the same objects.

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
  let span: Span | undefined;
  return {
    kind: "scalar",
    value,
    get span() {
      span ??= spanOf(file, start, end);
      return span;
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
  let span: Span | undefined;
  const node: ScalarNode = {
    kind: "scalar",
    value,
    get span() {
      span ??= findSpan(node.text);
      return span;
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
