// Who makes a request, once the gateway knows.

/** Who makes a request, once that is known. */
export interface Caller {
  /** The credential as it came. */
  readonly token?: string;
  /** Claims of its token, as text. */
  readonly claims?: ReadonlyMap<string, string>;
  /** What its key says about it. */
  readonly metadata?: ReadonlyMap<string, string>;
}
