// Parses statements, in the order in which the reference tries them: import, map, let, meta, path, if. Also parses the
// statements between braces, in the bodies of maps and of `if`.

import type {
  Assign,
  Expression,
  IfStatement,
  Import,
  Let,
  MapDefinition,
  MetaAssign,
  Name,
  Statement,
  StatementBranch,
} from "../../trees/mapping.ts";
import { takeKeyword } from "./conditionals.ts";
import { readLineEnd, readList } from "./delimited.ts";
import { fatal, furthest, missing, named, type Parsed, ParseFailure, required } from "./failure.ts";
import { readQuotedName, readQuotedString } from "./literals.ts";
import type { Reader } from "./reader.ts";

/** The place of a statement, which decides what kinds are allowed. */
export interface StatementPlace {
  /** The names of the top-level maps so far; `undefined` in blocks, which cannot contain maps and imports. */
  readonly maps?: Map<string, Name>;
  /** False directly inside a map. */
  readonly metaAllowed: boolean;
}

/** The place of a statement in an `if` block. */
const inBlock: StatementPlace = { metaAllowed: true };

/** The place of a statement in a map. */
const inMap: StatementPlace = { metaAllowed: false };

/** Reads one statement. The caller reads its end. */
export function readStatement(reader: Reader, place: StatementPlace): Parsed<Statement> {
  const start = reader.at;
  let failure: ParseFailure | undefined;
  for (const rule of place.maps === undefined ? blockRules : topRules) {
    reader.at = start;
    const result = rule(reader, place);
    if (!(result instanceof ParseFailure) || result.fatal !== undefined) return result;
    failure = failure === undefined ? result : furthest(failure, result);
  }
  return failure ?? missing(start, "assignment");
}

type Rule = (reader: Reader, place: StatementPlace) => Parsed<Statement>;

const blockRules: readonly Rule[] = [
  readLet,
  readMeta,
  readAssign,
  (reader) => readIfStatement(reader, () => readStatement(reader, inBlock)),
];

const topRules: readonly Rule[] = [readImport, readMap, ...blockRules];

/** `import "path"` */
function readImport(reader: Reader): Parsed<Import> {
  const start = reader.at;
  const unmatched = reader.expect("import") ?? reader.expectBlanks();
  if (unmatched !== undefined) return unmatched;
  const path = readQuotedString(reader);
  if (path instanceof ParseFailure) return required(named(path, "filepath"));
  return { kind: "Import", path, span: reader.spanFrom(start) };
}

/** `map name { statements }` */
function readMap(reader: Reader, { maps }: StatementPlace): Parsed<MapDefinition> {
  const start = reader.at;
  const unmatched = reader.expect("map") ?? reader.expectBlanks();
  if (unmatched !== undefined) return unmatched;
  const name = readNameOrQuoted(reader);
  if (name instanceof ParseFailure) return required(named(name, "map name"));
  const unspaced = reader.expectBlanks();
  if (unspaced !== undefined) return unspaced;
  const statements = readStatementBlock(reader, () => readStatement(reader, inMap));
  if (statements instanceof ParseFailure) return statements;
  if (maps?.has(name.text)) {
    const mistake = {
      code: "GW2017",
      start: name.span.start,
      end: name.span.end,
      details: { name: name.text },
    } as const;
    return fatal(start, `map name collision: ${name.text}`, mistake);
  }
  maps?.set(name.text, name);
  return { kind: "MapDefinition", name, statements, span: reader.spanFrom(start) };
}

/** `let name = query` */
function readLet(reader: Reader): Parsed<Let> {
  const start = reader.at;
  const unmatched = reader.expect("let", "assignment") ?? reader.expectBlanks();
  if (unmatched !== undefined) return unmatched;
  const name = readNameOrQuoted(reader);
  if (name instanceof ParseFailure) return required(named(name, "variable name"));
  const value = reader.expectBlanks() ?? readValue(reader);
  if (value instanceof ParseFailure) return value;
  return { kind: "Let", name, value, span: reader.spanFrom(start) };
}

/** `meta key = query`, `meta = query` */
function readMeta(reader: Reader, { metaAllowed }: StatementPlace): Parsed<MetaAssign> {
  const start = reader.at;
  const unmatched = reader.expect("meta", "assignment") ?? reader.expectBlanks();
  if (unmatched !== undefined) return unmatched;
  const key = reader.sees('"') ? readQuotedName(reader) : reader.takeName();
  if (key instanceof ParseFailure) return key;
  reader.skipBlanks();
  const value = readValue(reader);
  if (value instanceof ParseFailure) return value;
  if (!metaAllowed) {
    const mistake = { code: "GW2019", start, end: start + "meta".length, details: {} } as const;
    return fatal(start, "setting meta fields is not allowed within this block", mistake);
  }
  return { kind: "MetaAssign", ...(key === undefined ? {} : { key }), value, span: reader.spanFrom(start) };
}

/** `root.a."b c" = query`. Dotted segments with an error are not read at all, as in the reference. */
function readAssign(reader: Reader): Parsed<Assign> {
  const start = reader.at;
  const first = reader.takeName();
  if (first === undefined) return missing(start, "assignment");
  const rest = readSegments(reader);
  if (rest instanceof ParseFailure) return rest;
  const value = reader.expectBlanks() ?? readValue(reader);
  if (value instanceof ParseFailure) return value;
  const rooted = first.text === "root";
  const target = rooted ? rest : [first, ...rest];
  return { kind: "Assign", target, rooted, value, span: reader.spanFrom(start) };
}

/** Reads `.a."b c"`, dots included. Reads nothing if one of the segments is missing. */
function readSegments(reader: Reader): Parsed<readonly Name[]> {
  const start = reader.at;
  const segments: Name[] = [];
  while (reader.take(".")) {
    const segment = reader.sees('"') ? readQuotedName(reader) : reader.takeName();
    if (segment instanceof ParseFailure) return segment;
    if (segment === undefined) {
      reader.passOver(missing(reader.at, "target path"), start);
      return [];
    }
    segments.push(segment);
  }
  return segments;
}

/** Reads `= query`. The caller reads the blanks before the sign. */
function readValue(reader: Reader): Parsed<Expression> {
  return reader.expect("=") ?? reader.expectBlanks() ?? reader.query();
}

function readNameOrQuoted(reader: Reader): Parsed<Name> {
  if (reader.sees('"')) return readQuotedName(reader);
  return reader.takeName() ?? missing(reader.at, "quoted string");
}

type ReadStatement = () => Parsed<Statement>;

/** `{ statements }`, one per line. */
function readStatementBlock(reader: Reader, element: ReadStatement): Parsed<readonly Statement[]> {
  const unopened = reader.expect("{");
  if (unopened !== undefined) return unopened;
  reader.skipFreeSpace();
  return reader.nested(() => readList(reader, { element, delimiter: () => readLineEnd(reader), close: "}" }));
}

/** `if a { … } else if b { … } else { … }` */
function readIfStatement(reader: Reader, element: ReadStatement): Parsed<IfStatement> {
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
 * Reads a further branch. A branch that fails without being final counts as left out: the reference then fails at the
 * word `else`, which says less than the failure that was ignored.
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
