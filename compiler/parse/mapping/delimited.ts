// Lists between brackets: elements, what parts them, what closes them.

import { joined, type Parsed, ParseFailure } from "./failure.ts";
import type { Reader } from "./reader.ts";

/** The rules of one kind of list. What opens it has been read already, and free space after that. */
export interface ListRules<T> {
  readonly element: () => Parsed<T>;
  /** Reads what parts two elements, and free space after it; returns the failure if it is not there. */
  readonly delimiter: () => ParseFailure | undefined;
  readonly close: string;
  /** The close token in the reference's words, where they differ. */
  readonly closeName?: string;
}

/**
 * Reads the rest of a list, close token included. A delimiter may stand before the close token too. When
 * an element is not followed by either, the failure names both.
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

/** Reads a comma with blanks before it and free space after it. */
export function readComma(reader: Reader): ParseFailure | undefined {
  reader.skipBlanks();
  const failure = reader.expect(",");
  if (failure === undefined) reader.skipFreeSpace();
  return failure;
}

/** Reads a line break with blanks and a comment before it or not, and free space after it. */
export function readLineEnd(reader: Reader): ParseFailure | undefined {
  reader.skipBlanks();
  const failure = reader.expectLineBreak();
  if (failure === undefined) reader.skipFreeSpace();
  return failure;
}
