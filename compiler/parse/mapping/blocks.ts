// Statements between braces: the bodies of maps and of `if` statements.

import type { IfStatement, Statement, StatementBranch } from "../../trees/mapping.ts";
import { takeKeyword } from "./conditionals.ts";
import { readLineEnd, readList } from "./delimited.ts";
import { type Parsed, ParseFailure, required } from "./failure.ts";
import type { Reader } from "./reader.ts";

type ReadStatement = () => Parsed<Statement>;

/** `{ statements }`, one a line. */
export function readStatementBlock(reader: Reader, element: ReadStatement): Parsed<readonly Statement[]> {
  const unopened = reader.expect("{");
  if (unopened !== undefined) return unopened;
  reader.skipFreeSpace();
  return reader.nested(() => readList(reader, { element, delimiter: () => readLineEnd(reader), close: "}" }));
}

/** `if a { … } else if b { … } else { … }` */
export function readIfStatement(reader: Reader, element: ReadStatement): Parsed<IfStatement> {
  const start = reader.at;
  const unmatched = reader.expect("if", "assignment") ?? reader.expectBlanks();
  if (unmatched !== undefined) return unmatched;
  const first = readBranch(reader, start, element);
  if (first instanceof ParseFailure) return first;
  const branches = [first];
  for (;;) {
    const branch = attempt(reader, () => readElseIf(reader, element));
    if (branch instanceof ParseFailure) return branch;
    if (branch === undefined) break;
    branches.push(branch);
  }
  const otherwise = attempt(reader, () => readElse(reader, element));
  if (otherwise instanceof ParseFailure) return otherwise;
  return {
    kind: "IfStatement",
    branches,
    ...(otherwise === undefined ? {} : { otherwise }),
    span: reader.spanFrom(start),
  };
}

/**
 * Reads a further branch. One that fails without being final counts as left out: the reference then
 * stumbles over the word `else`, which says less than the failure passed over.
 */
function attempt<T>(reader: Reader, read: () => Parsed<T> | undefined): Parsed<T> | undefined {
  const start = reader.at;
  reader.skipFreeSpace();
  const result = read();
  if (result instanceof ParseFailure && result.fatal === undefined) {
    reader.passOver(result, start);
    return undefined;
  }
  if (result === undefined) reader.at = start;
  return result;
}

function readElseIf(reader: Reader, element: ReadStatement): Parsed<StatementBranch> | undefined {
  const start = reader.at;
  return takeKeyword(reader, "else if") ? readBranch(reader, start, element) : undefined;
}

function readElse(reader: Reader, element: ReadStatement): Parsed<readonly Statement[]> | undefined {
  if (!reader.take("else")) return undefined;
  reader.skipFreeSpace();
  return readStatementBlock(reader, element);
}

function readBranch(reader: Reader, start: number, element: ReadStatement): Parsed<StatementBranch> {
  const condition = reader.query();
  if (condition instanceof ParseFailure) return required(condition);
  reader.skipFreeSpace();
  const statements = readStatementBlock(reader, element);
  if (statements instanceof ParseFailure) return statements;
  return { kind: "StatementBranch", condition, statements, span: reader.spanFrom(start) };
}
