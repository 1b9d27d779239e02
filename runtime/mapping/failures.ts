// Errors of the language in the reference's words.

import { engineLimit, MappingError } from "../errors.ts";
import { Timestamp, type Value } from "../message/value.ts";
import { type TypeName, typeName } from "./kinds.ts";
import { textOf } from "./text.ts";

/** A value of a type that does not fit, or two that do not go together: the failure has named its source. */
export class TypeFailure extends MappingError {}

/** A failure that tells where its target came from. */
class PlacedFailure extends MappingError {}

/**
 * The document is asked for and the message is not JSON. The reference finds that out at the end of a statement, so no part
 * of it leads the text; what catches the failure before sees `caught`.
 */
export class DocumentFailure extends MappingError {
  readonly caught: string;

  constructor(texts: ConstructorParameters<typeof MappingError>, caught: string) {
    super(...texts);
    this.caught = caught;
  }
}

/** What stands for the document where there is none; `reference` is how the source spells its use. */
export function undefinedContext(reference: string): string {
  const field = reference.startsWith("this.") ? reference.slice("this.".length) : reference;
  return field === "this"
    ? "context was undefined"
    : `context was undefined, unable to reference \`${field}\``;
}

/** Expected one of `expected`, got `value`. `from` says where it came from; empty if unknown. */
export function wrongType(
  from: string,
  expected: readonly (TypeName | "integer")[],
  value: Value,
): MappingError {
  const source = from === "" ? "" : ` from ${from}`;
  const reason = `expected ${listed(expected)} value, got ${typeName(value)}${source}`;
  const text = `${reason}${shownValue(value)}`;
  return new TypeFailure(text, text, reason);
}

/** `left` and `right` do not go together; `verb` is add, subtract, multiply, divide, modulo or compare. */
export function typeMismatch(
  verb: string,
  left: Value,
  right: Value,
  fromLeft: string,
  fromRight: string,
): MappingError {
  // The reference makes text of a timestamp before it calculates, but not before it divides.
  const isText =
    verb === "subtract" ||
    verb === "multiply" ||
    (verb !== "divide" && verb !== "modulo" && typeName(left) === "number");
  const typeOf = (value: Value) => (isText && value instanceof Timestamp ? "string" : typeName(value));
  const described = (value: Value, from: string) => `${typeOf(value)}${from === "" ? "" : ` (from ${from})`}`;
  const text = `cannot ${verb} types ${described(left, fromLeft)} and ${described(right, fromRight)}`;
  return new TypeFailure(text, text, text);
}

/**
 * A failure led by where its target came from, as methods of the core report: ``field `this.a`: reason``. `detail` is the
 * reason without anything that was in the message.
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
 * What to throw when `error` happened in a query of a method of the core: led by where the target came from, unless it
 * tells a source already.
 */
export function failedInQuery(from: string, error: unknown): unknown {
  const failure = languageFailure(error);
  if (failure === undefined) return error;
  if (failure instanceof TypeFailure || failure instanceof PlacedFailure) return failure;
  if (failure instanceof DocumentFailure) return failedWithin(from, failure);
  return failedOn(from, failure.message, failure.answer, failure.detail);
}

/** `"a" is not a number`, of a text that one of the reference's parsers does not take. */
export function notRead(parser: string, shown: string, reason: string): string {
  const kind = parser === "ParseFloat" ? "a number" : "an integer";
  return reason === "value out of range" ? `${shown} is out of range` : `${shown} is not ${kind}`;
}

/**
 * What to throw when `error` happened inside a part named by `prefix`: a `MappingError` led by it. An error
 * that is not the mapping's own is returned as it is.
 */
export function failedWithin(prefix: string, error: unknown): unknown {
  const failure = languageFailure(error);
  if (failure === undefined) return error;
  if (failure instanceof DocumentFailure) {
    const { message, answer, detail, caught } = failure;
    return new DocumentFailure([message, answer, detail], `${prefix}: ${caught}`);
  }
  // The prefix may quote the message, by the name of a field or the place of an element.
  const Failure = failure instanceof PlacedFailure ? PlacedFailure : MappingError;
  return new Failure(`${prefix}: ${failure.message}`, `${prefix}: ${failure.answer}`, failure.detail);
}

/** What to throw when the statement on `line` of a mapping failed, in a `part` of it that errors name. */
export function failedAssignment(line: number, error: unknown, part = ""): unknown {
  const failure = languageFailure(failedIn(part, error));
  return failure === undefined ? error : new MappingError(...atLine(line, failure));
}

/** The texts of a failure of the statement on `line`. */
function atLine(line: number, { message, answer, detail }: MappingError): [string, string, string] {
  const prefix = `failed assignment (line ${line})`;
  const place = `line ${line} of the mapping`;
  return [
    `${prefix}: ${message}`,
    `${prefix}: ${answer}`,
    detail === undefined ? place : `${place}: ${detail}`,
  ];
}

/** What to throw when the statement on `line` of a named map failed; of nested maps the innermost is kept. */
export function failedMapAssignment(line: number, error: unknown, part = ""): unknown {
  const failure = failedIn(part, error);
  if (!(failure instanceof MappingError) || failure instanceof MapFailure) return failure;
  return new MapFailure(...atLine(line, failure));
}

function failedIn(part: string, error: unknown): unknown {
  return part === "" ? error : failedWithin(part, error);
}

/** The message of a failure of the language. Throws `error` again when it is not one. */
export function failureText(error: unknown): string {
  const failure = languageFailure(error);
  if (failure === undefined) throw error;
  return failure instanceof DocumentFailure ? failure.caught : failure.message;
}

/** `error` as a failure of the language; `undefined` when it is not one. */
export function languageFailure(error: unknown): MappingError | undefined {
  return error instanceof MappingError ? error : engineLimit(error);
}

/** A failure that already tells its line within a named map. */
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
