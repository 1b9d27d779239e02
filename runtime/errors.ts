// What can go wrong while a gateway runs, as it is reported to callers and operators.

export interface GatewayErrorOptions {
  readonly cause?: unknown;
  /** Whether trying the same again can help; a message that cannot be processed never will. */
  readonly retryable?: boolean;
  /** Whether nothing went wrong: the message goes back to its source, as there is no client to take it now. */
  readonly isReturn?: boolean;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /** Further headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Why, in one word for numbers (`quota`, `key_expired`): one of a few, whatever the request. Without it numbers have
   * the status to go by.
   */
  readonly reason?: string;
  /**
   * What callers and operators read in place of the message, where that is the reference's text, which documents read by
   * `error()`.
   */
  readonly answer?: string;
  /** What the answer says besides `error`, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A known failure. `status` and `answer`, by default the message, are what an HTTP caller is answered
 * (`{"error": answer}`), so they hold no text of an unknown error and no secret; `cause` is for the log only.
 */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly status: number;
  readonly retryable: boolean;
  readonly isReturn: boolean;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly answer: string;

  constructor(status: number, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.retryable = options.retryable ?? status >= 500;
    this.isReturn = options.isReturn ?? false;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
    this.reason = options.reason;
    this.answer = options.answer ?? message;
  }
}

/**
 * A mapping, check or interpolation that failed on a message. `message` is the reference's text, which mappings read by
 * `error()`; where that is in the words of a programming language, `answer` is the same in plain words, for callers.
 * `detail` is why without anything that was in the message: types, and names that the document has. Operators read it.
 */
export class MappingError extends GatewayError {
  override readonly name = "MappingError";
  readonly detail: string | undefined;

  constructor(message: string, answer: string = message, detail?: string) {
    super(422, message, { retryable: false, answer });
    this.detail = detail;
  }
}

/** The failure with a text that begins with `prefix`, which documents read by `error()`. Callers are answered as before. */
export function ledBy(prefix: string, failure: GatewayError): GatewayError {
  const { status, message, retryAfter, reason, ...options } = failure;
  if (failure instanceof MappingError)
    return new MappingError(prefix + message, failure.answer, failure.detail);
  return new GatewayError(status, prefix + message, {
    ...options,
    cause: failure.cause,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(reason !== undefined && { reason }),
  });
}

/** How the engine begins where a text, an array or a number grows beyond what it can hold. */
const tooLarge = [
  "Invalid string length",
  "Invalid array length",
  "Invalid typed array length",
  "Array buffer allocation",
  "Maximum BigInt size",
];

/**
 * An error of the engine's limits as a failure of the message; `undefined` when it is not one. A message reaches them by how deep
 * its values are, a mapping by what it asks for (`range(0, 40).fold("a", i -> i.tally + i.tally)`): no attempt that follows
 * would do better, so it is not tried again.
 */
export function engineLimit(error: unknown): MappingError | undefined {
  if (!(error instanceof RangeError)) return undefined;
  // No regular expressions: where the stack is exhausted, they fail as well.
  if (error.message.startsWith("Maximum call stack"))
    return new MappingError("the value is nested too deeply");
  const isLimit = tooLarge.some((begin) => error.message.startsWith(begin));
  return isLimit ? new MappingError("the result would be too large") : undefined;
}

/** Any thrown value as a `GatewayError`: known ones as they are, limits of the engine as 422, others as a bare `status`. */
export function toGatewayError(error: unknown, status: number, message: string): GatewayError {
  if (error instanceof GatewayError) return error;
  return engineLimit(error) ?? new GatewayError(status, message, { cause: error });
}
