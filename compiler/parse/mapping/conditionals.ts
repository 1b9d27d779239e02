// Parses `if` and `match` expressions.

import type {
  Expression,
  ExpressionBranch,
  IfExpression,
  MatchCase,
  MatchExpression,
} from "../../trees/mapping.ts";
import { readList } from "./delimited.ts";
import { furthest, missing, named, type Parsed, ParseFailure, required } from "./failure.ts";
import type { Reader } from "./reader.ts";

/** `if a { x } else if b { y } else { z }`; `undefined` if the text does not start with `if` and a blank. */
export function readIfExpression(reader: Reader): Parsed<IfExpression> | undefined {
  const start = reader.at;
  if (!takeKeyword(reader, "if")) return undefined;
  const first = readBranch(reader, start);
  if (first instanceof ParseFailure) return first;
  const branches = [first];
  for (;;) {
    const end = reader.at;
    reader.skipFreeSpace();
    const branchStart = reader.at;
    if (!takeKeyword(reader, "else if")) {
      reader.at = end;
      break;
    }
    const branch = readBranch(reader, branchStart);
    if (branch instanceof ParseFailure) return branch;
    branches.push(branch);
  }
  const otherwise = readElse(reader);
  if (otherwise instanceof ParseFailure) return otherwise;
  return {
    kind: "IfExpression",
    branches,
    ...(otherwise === undefined ? {} : { otherwise }),
    span: reader.spanFrom(start),
  };
}

/** `match subject { pattern => value }`; `undefined` if the text does not start with `match` and a blank. */
export function readMatch(reader: Reader): Parsed<MatchExpression> | undefined {
  const start = reader.at;
  if (!takeKeyword(reader, "match")) return undefined;
  const subject = readSubject(reader);
  if (subject instanceof ParseFailure) return subject;
  reader.skipFreeSpace();
  const unopened = reader.expect("{");
  if (unopened !== undefined) return required(unopened);
  reader.skipFreeSpace();
  const cases = readList(reader, {
    element: () => readCase(reader),
    delimiter: () => readCaseEnd(reader),
    close: "}",
  });
  if (cases instanceof ParseFailure) return required(cases);
  return {
    kind: "MatchExpression",
    ...(subject === undefined ? {} : { subject }),
    cases,
    span: reader.spanFrom(start),
  };
}

/** Reads `word` with blanks after it. Reads nothing without the blanks: the word is then the beginning of a name. */
export function takeKeyword(reader: Reader, word: string): boolean {
  const start = reader.at;
  if (reader.take(word) && reader.skipBlanks()) return true;
  reader.at = start;
  return false;
}

function readBranch(reader: Reader, start: number): Parsed<ExpressionBranch> {
  const condition = reader.query();
  if (condition instanceof ParseFailure) return required(condition);
  reader.skipFreeSpace();
  const value = readBlock(reader);
  if (value instanceof ParseFailure) return value;
  return { kind: "ExpressionBranch", condition, value, span: reader.spanFrom(start) };
}

function readElse(reader: Reader): Parsed<Expression> | undefined {
  const end = reader.at;
  reader.skipFreeSpace();
  if (reader.take("else")) {
    reader.skipFreeSpace();
    return readBlock(reader);
  }
  reader.at = end;
  return undefined;
}

/** `{ query }`. No other rule can match here, so every failure is final. */
function readBlock(reader: Reader): Parsed<Expression> {
  const unopened = reader.expect("{");
  if (unopened !== undefined) return required(unopened);
  reader.skipFreeSpace();
  const value = reader.query();
  if (value instanceof ParseFailure) return required(value);
  reader.skipFreeSpace();
  const unclosed = reader.expect("}");
  return unclosed === undefined ? value : required(unclosed);
}

/** Reads the query between `match` and the brace. A query that fails without being final counts as left out. */
function readSubject(reader: Reader): Parsed<Expression> | undefined {
  const start = reader.at;
  const subject = reader.query();
  if (!(subject instanceof ParseFailure) || subject.fatal !== undefined) return subject;
  if (reader.text[start] === "{") reader.at = start;
  else reader.passOver(subject, start);
  return undefined;
}

function readCase(reader: Reader): Parsed<MatchCase> {
  const start = reader.at;
  const pattern = readPattern(reader);
  if (pattern instanceof ParseFailure) return pattern;
  reader.skipBlanks();
  const value = reader.query();
  if (value instanceof ParseFailure) return value;
  return {
    kind: "MatchCase",
    ...(pattern === undefined ? {} : { pattern }),
    value,
    span: reader.spanFrom(start),
  };
}

/** Reads the pattern before `=>`, and the arrow; `undefined` for `_`. */
function readPattern(reader: Reader): Parsed<Expression> | undefined {
  const start = reader.at;
  const notWildcard = readWildcard(reader);
  if (notWildcard === undefined) return undefined;
  reader.at = start;
  const pattern = reader.queryOnce();
  if (pattern instanceof ParseFailure) {
    return pattern.fatal === undefined ? furthest(notWildcard, named(pattern, "match case")) : pattern;
  }
  reader.skipBlanks();
  const unarrowed = reader.expect("=>");
  return unarrowed === undefined ? pattern : furthest(notWildcard, unarrowed);
}

function readWildcard(reader: Reader): ParseFailure | undefined {
  const unmatched = reader.expect("_", "match case");
  if (unmatched !== undefined) return unmatched;
  reader.skipBlanks();
  return reader.expect("=>");
}

/** Reads the comma or line break that separates cases. */
function readCaseEnd(reader: Reader): ParseFailure | undefined {
  reader.skipBlanks();
  if (!reader.take(",")) {
    const at = reader.at;
    const unbroken = reader.expectLineBreak();
    if (unbroken !== undefined) return furthest(missing(at, ","), unbroken);
  }
  reader.skipFreeSpace();
  return undefined;
}
