// Errors of the mapping language with the messages of the reference engine.

import { engineLimit, MappingError } from "../errors.ts";
import { SourceNumber, Timestamp, type Value } from "../message/value.ts";
import { type TypeName, typeName } from "./kinds.ts";
import { numeric } from "./numeric.ts";
import { textOf } from "./text.ts";

/** A failure because of a wrong type, or of two types that do not match. It already names the origin of the value. */
export class TypeFailure extends MappingError {}

/** A failure whose message already names the origin of its target. */
class PlacedFailure extends MappingError {}

/**
 * A failure because a mapping reads the document of a message that is not JSON. The reference engine only finds this
 * out at the end of a statement, so no part of the statement prefixes the message. Code that catches the failure
 * earlier gets `caught`.
 */
export class DocumentFailure extends MappingError {
  readonly caught: string;

  constructor(texts: ConstructorParameters<typeof MappingError>, caught: string) {
    super(...texts);
    this.caught = caught;
  }
}

/** Returns the error for reading a document that does not exist. `reference`: how the source spells the access. */
export function undefinedContext(reference: string): string {
  const field = reference.startsWith("this.") ? reference.slice("this.".length) : reference;
  return field === "this"
    ? "context was undefined"
    : `context was undefined, unable to reference \`${field}\``;
}

/** Returns the error for a value of another type than `expected`. `from`: the origin of the value; empty if unknown. */
export function wrongType(
  from: string,
  expected: readonly (TypeName | "integer")[],
  value: Value,
): MappingError {
  const reason = beyondFloat(value);
  if (reason !== undefined && expected.includes("number") && !expected.includes("integer"))
    return failedOn(from, reason);
  return notOfType(from, expected, value);
}

/** Returns why the text of a number of a message is no float64; `undefined` for other values. */
export function beyondFloat(value: Value): string | undefined {
  return value instanceof SourceNumber && numeric(value) === undefined
    ? `strconv.ParseFloat: parsing "${value}": value out of range`
    : undefined;
}

function notOfType(from: string, expected: Parameters<typeof wrongType>[1], value: Value): MappingError {
  const source = from === "" ? "" : ` from ${from}`;
  const reason = `expected ${listed(expected)} value, got ${typeName(value)}${source}`;
  const text = `${reason}${shownValue(value)}`;
  return new TypeFailure(text, text, reason);
}

/** Returns the error for two types that do not match. `verb`: add, subtract, multiply, divide, modulo or compare. */
export function typeMismatch(
  verb: string,
  left: Value,
  right: Value,
  fromLeft: string,
  fromRight: string,
): MappingError {
  // The reference engine converts a timestamp to text before it calculates, but not before it divides. A number of a
  // message beyond the range of float64 stays text.
  const isText =
    verb === "subtract" ||
    verb === "multiply" ||
    (verb !== "divide" && verb !== "modulo" && typeName(left) === "number");
  const isWritten = (value: Value) =>
    value instanceof Timestamp || (verb !== "compare" && beyondFloat(value) !== undefined);
  const typeOf = (value: Value) => (isText && isWritten(value) ? "string" : typeName(value));
  const described = (value: Value, from: string) => `${typeOf(value)}${from === "" ? "" : ` (from ${from})`}`;
  const text = `cannot ${verb} types ${described(left, fromLeft)} and ${described(right, fromRight)}`;
  return new TypeFailure(text, text, text);
}

/**
 * Returns a failure that begins with the origin of its target, as core methods report it: ``field `this.a`: reason``.
 * `detail`: the reason without content of the message.
 */
export function failedOn(
  from: string,
  reason: string,
  answer: string = reason,
  detail?: string,
): MappingError {
  const prefix = from === "" ? "" : `${from}: `;
  const Failure = from === "" ? MappingError : PlacedFailure;
  return new Failure(prefix + reason, prefix + answer, detail && prefix + detail);
}

/**
 * Returns what to throw after `error` in a query of a core method: a failure that begins with the origin of the target,
 * unless it already names an origin.
 */
export function failedInQuery(from: string, error: unknown): unknown {
  const failure = languageFailure(error);
  if (failure === undefined) return error;
  if (failure instanceof TypeFailure || failure instanceof PlacedFailure) return failure;
  if (failure instanceof DocumentFailure) return failedWithin(from, failure);
  return failedOn(from, failure.message, failure.answer, failure.detail);
}

/** Returns the reason why a parser of the reference engine rejects a text, such as `"a" is not a number`. */
export function notRead(parser: string, shown: string, reason: string): string {
  const kind = parser === "ParseFloat" ? "a number" : "an integer";
  return reason === "value out of range" ? `${shown} is out of range` : `${shown} is not ${kind}`;
}

/**
 * Returns what to throw after `error` in a part named by `prefix`: a `MappingError` that begins with `prefix`. An error
 * that is not a failure of the language is returned unchanged.
 */
export function failedWithin(prefix: string, error: unknown): unknown {
  const failure = languageFailure(error);
  if (failure === undefined) return error;
  if (failure instanceof DocumentFailure) {
    const { message, answer, detail, caught } = failure;
    return new DocumentFailure([message, answer, detail], `${prefix}: ${caught}`);
  }
  // `detail` gets no prefix: a prefix may quote the message, such as the name of a field or the index of an element.
  const Failure = failure instanceof PlacedFailure ? PlacedFailure : MappingError;
  return new Failure(`${prefix}: ${failure.message}`, `${prefix}: ${failure.answer}`, failure.detail);
}

/** Returns what to throw after a failure of the statement on `line`. `part`: the part of the statement to name. */
export function failedAssignment(line: number, error: unknown, part = ""): unknown {
  const failure = languageFailure(failedIn(part, error));
  return failure === undefined ? error : new MappingError(...atLine(line, failure));
}

/** Returns the three texts of a failure of the statement on `line`. */
function atLine(line: number, { message, answer, detail }: MappingError): [string, string, string] {
  const prefix = `failed assignment (line ${line})`;
  const place = `line ${line} of the mapping`;
  return [
    `${prefix}: ${message}`,
    `${prefix}: ${answer}`,
    detail === undefined ? place : `${place}: ${detail}`,
  ];
}

/**
 * Returns what to throw after a failure of the statement on `line` of a named map. In nested maps, the innermost is
 * kept.
 */
export function failedMapAssignment(line: number, error: unknown, part = ""): unknown {
  const failure = failedIn(part, error);
  if (!(failure instanceof MappingError) || failure instanceof MapFailure) return failure;
  return new MapFailure(...atLine(line, failure));
}

function failedIn(part: string, error: unknown): unknown {
  return part === "" ? error : failedWithin(part, error);
}

/** Returns the message of a failure of the language. Rethrows any other error. */
export function failureText(error: unknown): string {
  const failure = languageFailure(error);
  if (failure === undefined) throw error;
  return failure instanceof DocumentFailure ? failure.caught : failure.message;
}

/** Returns `error` as a failure of the language; `undefined` if it is another error. */
export function languageFailure(error: unknown): MappingError | undefined {
  return error instanceof MappingError ? error : engineLimit(error);
}

/** A failure that already names its line in a named map. */
class MapFailure extends MappingError {}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function shownValue(value: Value): string {
  const type = typeName(value);
  if (type === "string") return ` ("${value}")`;
  return type === "number" || type === "bool" ? ` (${textOf(value)})` : "";
}
