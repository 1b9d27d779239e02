// Reads lists between brackets: their elements, delimiters and closing token.

import { joined, type Parsed, ParseFailure } from "./failure.ts";
import type { Reader } from "./reader.ts";

/** The rules of one kind of list. The opening token and the free space after it have been read already. */
export interface ListRules<T> {
  readonly element: () => Parsed<T>;
  /** Reads the delimiter between two elements and the free space after it; returns a failure if there is none. */
  readonly delimiter: () => ParseFailure | undefined;
  readonly close: string;
  /** The name of the closing token in the reference's errors, if it differs. */
  readonly closeName?: string;
}

/**
 * Reads the rest of a list, closing token included. A delimiter may also precede the closing token. If neither follows
 * an element, the failure names both.
 */
export function readList<T>(reader: Reader, rules: ListRules<T>): Parsed<readonly T[]> {
  const elements: T[] = [];
  while (!reader.take(rules.close)) {
    const element = rules.element();
    if (element instanceof ParseFailure) return element;
    elements.push(element);
    const end = reader.at;
    const undelimited = rules.delimiter();
    if (undelimited === undefined) continue;
    reader.at = end;
    reader.skipFreeSpace();
    const unclosed = reader.expect(rules.close, rules.closeName);
    if (unclosed === undefined) break;
    return joined(undelimited, unclosed);
  }
  return elements;
}

/** Reads a comma with optional blanks before it and free space after it. */
export function readComma(reader: Reader): ParseFailure | undefined {
  reader.skipBlanks();
  const failure = reader.expect(",");
  if (failure === undefined) reader.skipFreeSpace();
  return failure;
}

/** Reads a line break with optional blanks and a comment before it, and free space after it. */
export function readLineEnd(reader: Reader): ParseFailure | undefined {
  reader.skipBlanks();
  const failure = reader.expectLineBreak();
  if (failure === undefined) reader.skipFreeSpace();
  return failure;
}
