// Compiled schemas, and the faults of values that do not match them.

import { judging, type ReadAgain } from "./judged-value.ts";

/** A schema, compiled when the gateway was built. */
export interface SchemaCheck {
  (value: unknown): boolean;
  /** The errors of the last value. */
  errors?: readonly SchemaError[] | null;
}

/** An error as ajv reports it. */
export interface SchemaError {
  /** JSON pointer (RFC 6901) of the value. */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One fault of a request, as reported to the caller. */
export interface RequestFault {
  /** JSON pointer: `/query/limit`, `/body/items/0/id`. */
  readonly pointer: string;
  readonly reason: string;
}

/** The most faults that are reported, and the most characters of a pointer or a name. */
const most = { faults: 20, characters: 300 };

/** Returns the faults of `value`; `pointer`: where the value is. */
export function faultsOf(
  check: SchemaCheck,
  value: unknown,
  pointer: string,
  readAgain: ReadAgain,
): readonly RequestFault[] {
  return withinStack(pointer, () => directFaults(check, value, pointer, readAgain));
}

function directFaults(
  check: SchemaCheck,
  value: unknown,
  pointer: string,
  readAgain: ReadAgain,
): readonly RequestFault[] {
  if (judging(value, readAgain, () => check(value))) return [];
  return (check.errors ?? []).slice(0, most.faults).map((error) => toFault(error, pointer));
}

/** Returns what `judge` returns, or the fault of a value that is nested too deep for it. */
function withinStack(pointer: string, judge: () => readonly RequestFault[]): readonly RequestFault[] {
  try {
    return judge();
  } catch (error) {
    // Only values nested too deep for the stack cause a RangeError; other errors are bugs.
    if (!(error instanceof RangeError)) throw error;
    return [{ pointer, reason: "is nested too deep" }];
  }
}

/**
 * Like `faultsOf`, for a value of texts that `check` converts to numbers. ajv accepts every number of JavaScript
 * (`0x10`, ` 1`), which the receiver of the request would read differently: here, only numbers in the form of JSON
 * are accepted. `exact`: the pointers of values that are no texts, which must have the types of the schema.
 */
export function faultsOfTexts(
  check: SchemaCheck,
  value: object,
  pointer = "",
  exact: readonly string[] = [],
): readonly RequestFault[] {
  // A parameter may be JSON, which nests.
  return withinStack(pointer, () => {
    const written: unknown = JSON.parse(JSON.stringify(value));
    const faults = directFaults(check, value, pointer, () => written);
    return faults.length > 0 ? faults : [...oddTexts(written, value, pointer, exact)];
  });
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Yields the faults of texts that were converted and should not have been. `exact`: as above, or `true` for all. */
function* oddTexts(
  written: unknown,
  read: unknown,
  pointer: string,
  exact: readonly string[] | true,
): Iterable<RequestFault> {
  if (typeof written !== "object" || written === null || typeof read !== "object" || read === null) {
    if (written === read) return;
    if (exact === true) yield { pointer, reason: `must be ${read === null ? "null" : typeof read}` };
    else if (typeof written === "string" && typeof read === "number" && !jsonNumber.test(written))
      yield { pointer, reason: "must be written as a number" };
    return;
  }
  const now = new Map(Object.entries(read));
  for (const [name, text] of Object.entries(written)) {
    const own = `${pointer}/${name}`;
    yield* oddTexts(text, now.get(name), own, exact === true || exact.includes(own) || exact);
  }
}

/** Returns the first faults, as many as are reported to a caller, with as much of their pointers: names are from the request. */
export function bounded(faults: readonly RequestFault[]): readonly RequestFault[] {
  return faults.slice(0, most.faults).map(({ pointer, reason }) => ({ pointer: shortened(pointer), reason }));
}

/** Returns as much of a text of the request as is reported. */
export function shortened(text: string): string {
  return text.slice(0, most.characters);
}

/** Appends errors to those of the same check, which ajv would copy for each value that does not match. */
export function withErrors(errors: SchemaError[], more: readonly SchemaError[]): SchemaError[] {
  for (const error of more) errors.push(error);
  return errors;
}

/** Converts an error. The pointer of a missing or unexpected field is that of the field itself. */
function toFault(
  { instancePath, message = "does not fit", params }: SchemaError,
  pointer: string,
): RequestFault {
  const field = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const own = typeof field === "string" ? `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}` : "";
  const reason = params.missingProperty === undefined ? message : "is required";
  return { pointer: `${pointer}${instancePath}${own}`, reason };
}
