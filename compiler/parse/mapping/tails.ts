// Parses what follows a value: methods, fields, brackets, map expressions, and the arguments of calls.

import type { Argument, Expression, FunctionCall, IndexAccess, Name, Slice } from "../../trees/mapping.ts";
import { readComma, readList } from "./delimited.ts";
import { missing, named, type Parsed, ParseFailure, required } from "./failure.ts";
import { readQuotedName } from "./literals.ts";
import type { Reader } from "./reader.ts";

/** Reads a value with all its tails, such as `value.a.b().(c)[0]`. */
export function readTails(reader: Reader, value: Expression): Parsed<Expression> {
  let receiver = value;
  for (;;) {
    const next = reader.sees("[") ? readBrackets(reader, receiver) : readDotted(reader, receiver);
    if (next === undefined || next instanceof ParseFailure) return next ?? receiver;
    receiver = next;
  }
}

/** `name(args)`; `undefined` if the text is not a lower-case name immediately followed by a bracket. */
export function readFunctionCall(reader: Reader): Parsed<FunctionCall> | undefined {
  const start = reader.at;
  const name = reader.takeSnakeName();
  if (name === undefined || !reader.sees("(")) {
    reader.at = start;
    return undefined;
  }
  const args = readArguments(reader);
  if (args instanceof ParseFailure) return args;
  return { kind: "FunctionCall", name, args, span: reader.spanFrom(start) };
}

/** Reads one `.tail`; `undefined` if no dot follows. After the dot a tail is required. */
function readDotted(reader: Reader, receiver: Expression): Parsed<Expression> | undefined {
  if (!reader.take(".")) return undefined;
  reader.skipFreeSpace();
  if (reader.sees("(")) return readMapExpression(reader, receiver);
  const start = reader.at;
  const method = reader.takeSnakeName();
  if (method !== undefined && reader.sees("(")) {
    const args = readArguments(reader);
    if (args instanceof ParseFailure) return args;
    return { kind: "MethodCall", receiver, name: method, args, span: reader.spanFrom(receiver.span.start) };
  }
  reader.at = start;
  const name = reader.sees('"') ? readQuotedName(reader) : reader.takeName();
  if (name === undefined) return required(missing(start, "method", "field path"));
  if (name instanceof ParseFailure) return name;
  return { kind: "FieldAccess", receiver, name, span: reader.spanFrom(receiver.span.start) };
}

/** `.(query)` */
function readMapExpression(reader: Reader, receiver: Expression): Parsed<Expression> {
  reader.take("(");
  reader.skipFreeSpace();
  const body = reader.query();
  if (body instanceof ParseFailure) return required(body);
  reader.skipFreeSpace();
  const unclosed = reader.expect(")");
  if (unclosed !== undefined) return required(unclosed);
  return { kind: "MapExpression", receiver, body, span: reader.spanFrom(receiver.span.start) };
}

/** `[i]`, `[a:b:c]`. Brackets that do not parse are not read, as in the reference. */
function readBrackets(reader: Reader, receiver: Expression): Expression | undefined {
  const start = reader.at;
  const result = readBracketContents(reader, receiver);
  if (!(result instanceof ParseFailure)) return result;
  reader.passOver(result, start);
  return undefined;
}

function readBracketContents(reader: Reader, receiver: Expression): Parsed<IndexAccess | Slice> {
  const from = receiver.span.start;
  reader.take("[");
  reader.skipFreeSpace();
  const start = readBound(reader);
  if (start instanceof ParseFailure) return start;
  if (!reader.take(":")) {
    const unclosed = reader.expect("]", "closing bracket");
    if (start === undefined || unclosed !== undefined) return unclosed ?? missing(reader.at, "query");
    return { kind: "IndexAccess", receiver, index: start, span: reader.spanFrom(from) };
  }
  reader.skipFreeSpace();
  const stop = readBound(reader);
  if (stop instanceof ParseFailure) return stop;
  const step = reader.take(":") ? readStep(reader) : undefined;
  if (step instanceof ParseFailure) return step;
  const unclosed = reader.expect("]", "closing bracket");
  if (unclosed !== undefined) return unclosed;
  return {
    kind: "Slice",
    receiver,
    ...(start === undefined ? {} : { start }),
    ...(stop === undefined ? {} : { stop }),
    ...(step === undefined ? {} : { step }),
    span: reader.spanFrom(from),
  };
}

/** Reads a bound and the free space after it; `undefined` if a colon or the closing bracket is next. */
function readBound(reader: Reader): Parsed<Expression> | undefined {
  if (reader.sees(":") || reader.sees("]")) return undefined;
  const bound = reader.query();
  if (!(bound instanceof ParseFailure)) reader.skipFreeSpace();
  return bound;
}

function readStep(reader: Reader): Parsed<Expression> | undefined {
  reader.skipFreeSpace();
  if (reader.sees("]")) return undefined;
  const step = reader.query();
  if (!(step instanceof ParseFailure)) reader.skipFreeSpace();
  return step;
}

/** Reads `(a, b,)` or `(x: a, y: b)`, opening bracket included. Every failure in it is final. */
function readArguments(reader: Reader): Parsed<readonly Argument[]> {
  reader.take("(");
  reader.skipFreeSpace();
  const args = readList(reader, {
    element: () => readArgument(reader),
    delimiter: () => {
      const failure = readComma(reader);
      return failure && required(named(failure, "comma"));
    },
    close: ")",
    closeName: "closing bracket",
  });
  return args instanceof ParseFailure ? args : (checkNames(reader, args) ?? args);
}

function readArgument(reader: Reader): Parsed<Argument> {
  const start = reader.at;
  const name = takeArgumentName(reader);
  if (name !== undefined) reader.skipBlanks();
  const value = reader.query();
  if (value instanceof ParseFailure) {
    return required(named(value, name === undefined ? "function argument" : "argument value"));
  }
  return {
    kind: "Argument",
    ...(name === undefined ? {} : { name }),
    value,
    span: reader.spanFrom(start),
  };
}

function takeArgumentName(reader: Reader): Name | undefined {
  const start = reader.at;
  const name = reader.takeSnakeName();
  if (name !== undefined && reader.take(":")) return name;
  reader.at = start;
  return undefined;
}

/** The reference reports these mistakes at the place after the call. */
function checkNames(reader: Reader, args: readonly Argument[]): ParseFailure | undefined {
  const seen = new Set<string>();
  for (const { name } of args) {
    if (name === undefined) continue;
    const { start, end } = name.span;
    if (seen.has(name.text)) {
      const mistake = { code: "GW2021", start, end, details: { name: name.text } } as const;
      return new ParseFailure(reader.at, [], `duplicate named arg: ${name.text}`, mistake);
    }
    seen.add(name.text);
  }
  const odd = args.find((arg) => (arg.name === undefined) !== (args[0]?.name === undefined));
  if (odd === undefined) return undefined;
  const mistake = { code: "GW2020", start: odd.span.start, end: odd.span.end, details: {} } as const;
  return new ParseFailure(reader.at, [], "cannot mix named and nameless arguments", mistake);
}
