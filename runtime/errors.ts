// Errors of a running gateway, as reported to callers and operators.

export interface GatewayErrorOptions {
  readonly cause?: unknown;
  /** Whether a retry can help; for a message that cannot be processed it never does. */
  readonly retryable?: boolean;
  /** Whether nothing is wrong: the message returns to its source because no client is there to receive it. */
  readonly isReturn?: boolean;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /** Further headers of the response, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The reason in one word, for metrics (`quota`, `key_expired`), from a fixed set. Without it, metrics use the status.
   */
  readonly reason?: string;
  /**
   * The text for callers and operators, if `message` is the text of the reference implementation, which documents
   * read with `error()`.
   */
  readonly answer?: string;
  /** Further fields of the response besides `error`, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * A known failure. An HTTP caller gets `status` and `answer`, by default the message, as `{"error": answer}`; they
 * contain no text of an unknown error and no secret. `cause` is for the log only.
 */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly status: number;
  readonly retryable: boolean;
  readonly isReturn: boolean;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly answer: string;

  constructor(status: number, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.retryable = options.retryable ?? status >= 500;
    this.isReturn = options.isReturn ?? false;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? {};
    this.reason = options.reason;
    this.answer = options.answer ?? message;
  }

  /** Returns those of `messages`, whose write failed with this error, that may not be delivered. */
  undelivered<M>(messages: readonly M[]): readonly M[] {
    return messages;
  }

  /** Returns the failure of a write whose parts failed with `failures`. This is the first of them. */
  joined(_failures: readonly unknown[]): unknown {
    return this;
  }
}

/**
 * The failure of a mapping, check or interpolation for a message. `message` is the text of the reference
 * implementation, which mappings read with `error()`; if that uses terms of a programming language, `answer` is the
 * same in plain words, for callers. `detail` is the reason without content of the message, for operators: types, and
 * names of the document.
 */
export class MappingError extends GatewayError {
  override readonly name = "MappingError";
  readonly detail: string | undefined;

  constructor(message: string, answer: string = message, detail?: string) {
    super(422, message, { retryable: false, answer });
    this.detail = detail;
  }
}

/** Like `ledBy`, for failures of the mapping language alone. */
export function mappingErrorLedBy(prefix: string, { message, answer, detail }: MappingError): MappingError {
  return new MappingError(prefix + message, answer, detail);
}

/**
 * Returns the failure with a prefix on the text that documents read with `error()`. Callers get the same text as
 * before.
 */
export function ledBy(prefix: string, failure: GatewayError): GatewayError {
  const { status, message, retryAfter, reason, ...options } = failure;
  if (failure instanceof MappingError) return mappingErrorLedBy(prefix, failure);
  return new GatewayError(status, prefix + message, {
    ...options,
    cause: failure.cause,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(reason !== undefined && { reason }),
  });
}

/** The beginnings of the engine's errors for a text, an array or a number that is too large. */
const tooLarge = [
  "Invalid string length",
  "Invalid array length",
  "Invalid typed array length",
  "Array buffer allocation",
  "Maximum BigInt size",
];

/**
 * Converts an error of the engine's limits to a failure of the message; `undefined` if it is another error. Deeply
 * nested values reach these limits, and mappings that build large values (`range(0, 40).fold("a", i -> i.tally +
 * i.tally)`). A retry would fail in the same way.
 */
export function engineLimit(error: unknown): MappingError | undefined {
  if (!(error instanceof RangeError)) return undefined;
  // Without regular expressions, which also fail if the stack is exhausted.
  if (error.message.startsWith("Maximum call stack"))
    return new MappingError("the value is nested too deeply");
  const isLimit = tooLarge.some((begin) => error.message.startsWith(begin));
  return isLimit ? new MappingError("the result would be too large") : undefined;
}

/**
 * Converts any thrown value to a `GatewayError`: known errors unchanged, engine limits as 422, others with `status`.
 */
export function toGatewayError(error: unknown, status: number, message: string): GatewayError {
  if (error instanceof GatewayError) return error;
  return engineLimit(error) ?? new GatewayError(status, message, { cause: error });
}
