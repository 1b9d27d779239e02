// What a compiled schema is, and what is wrong where a value does not fit it.

/** A schema, compiled when the gateway was built. */
export interface SchemaCheck {
  (value: unknown): boolean;
  /** What was wrong with the last value. */
  errors?: readonly SchemaError[] | null;
}

/** As ajv tells it. */
export interface SchemaError {
  /** JSON pointer (RFC 6901) of the value. */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One fault of a request, as it is reported to the caller. */
export interface RequestFault {
  /** JSON pointer: `/query/limit`, `/body/items/0/id`. */
  readonly pointer: string;
  readonly reason: string;
}

/** Most faults that are reported, and most characters of a pointer. */
const most = { faults: 20, characters: 300 };

/** What is wrong with `value`, whose place is `pointer`; nothing where it fits. */
export function faultsOf(check: SchemaCheck, value: unknown, pointer = ""): readonly RequestFault[] {
  try {
    if (check(value)) return [];
  } catch (error) {
    // Only a value that is nested deeper than the stack has room for; a failure of another kind is ours.
    if (!(error instanceof RangeError)) throw error;
    return [{ pointer, reason: "is nested too deep" }];
  }
  return (check.errors ?? []).slice(0, most.faults).map((error) => toFault(error, pointer));
}

/**
 * The same of a value made of texts, which `check` makes numbers of. It takes for one whatever JavaScript does (`0x10`,
 * ` 1`); who gets the request would read that otherwise, so that only numbers as JSON writes them fit.
 */
export function faultsOfTexts(check: SchemaCheck, value: object, pointer = ""): readonly RequestFault[] {
  const written: unknown = JSON.parse(JSON.stringify(value));
  const faults = faultsOf(check, value, pointer);
  return faults.length > 0 ? faults : [...oddNumbers(written, value, pointer)];
}

const jsonNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function* oddNumbers(written: unknown, read: unknown, pointer: string): Iterable<RequestFault> {
  if (typeof written === "string" && typeof read === "number" && !jsonNumber.test(written)) {
    yield { pointer, reason: "must be written as a number" };
  }
  if (typeof written !== "object" || written === null || typeof read !== "object" || read === null) return;
  const now = new Map(Object.entries(read));
  for (const [name, text] of Object.entries(written))
    yield* oddNumbers(text, now.get(name), `${pointer}/${name}`);
}

/** As many as are reported to a caller. */
export function bounded(faults: readonly RequestFault[]): readonly RequestFault[] {
  return faults.slice(0, most.faults);
}

/** A field that is missing, or should not be there, is the place itself. */
function toFault(
  { instancePath, message = "does not fit", params }: SchemaError,
  pointer: string,
): RequestFault {
  const field = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const own = typeof field === "string" ? `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}` : "";
  const reason = params.missingProperty === undefined ? message : "is required";
  return { pointer: `${pointer}${instancePath}${own}`.slice(0, most.characters), reason };
}
