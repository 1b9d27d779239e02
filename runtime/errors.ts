// What can go wrong while a gateway runs, as callers and operators are told.

export interface GatewayErrorOptions {
  readonly cause?: unknown;
  /** Whether trying the same again can help; a message that cannot be processed never will. */
  readonly retryable?: boolean;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /** Further headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Why, in one word for numbers (`quota`, `key_expired`): one of a few, whatever the request. Without it numbers have
   * the status to go by.
   */
  readonly reason?: string;
  /** What the answer says besides `error`, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A known failure. `status` and `message` are what an HTTP caller is answered (`{"error": message}`), so
 * the message holds no text of an unknown error and no secret; `cause` is for the log only.
 */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.retryable = options.retryable ?? status >= 500;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
    this.reason = options.reason;
  }

  /** What a caller is answered. */
  get answer(): string {
    return this.message;
  }
}

/**
 * A mapping, check or interpolation that failed on a message. `message` is the reference's text, which mappings read by
 * `error()`; where that is in the words of a programming language, `answer` is the same in plain words, for callers.
 */
export class MappingError extends GatewayError {
  override readonly name = "MappingError";
  readonly #answer: string;

  constructor(message: string, answer: string = message) {
    super(422, message, { retryable: false });
    this.#answer = answer;
  }

  override get answer(): string {
    return this.#answer;
  }
}

/** Any thrown value as a `GatewayError`: known ones as they are, others as a bare `status`. */
export function toGatewayError(error: unknown, status: number, message: string): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError(status, message, { cause: error });
}
