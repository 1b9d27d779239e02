// Who makes a request, once the gateway knows.

import type { KeySession } from "./session.ts";

/** Who makes a request, once that is known. */
export interface Caller {
  /** The credential as it came; it is written nowhere. */
  readonly token?: string;
  /** What its token is good for; absent where the scheme knows no scopes. */
  readonly scopes?: ReadonlySet<string>;
  /** Claims of its token, as text. */
  readonly claims?: ReadonlyMap<string, string>;
  /** What its key says about it. */
  readonly metadata?: ReadonlyMap<string, string>;
  /** What it may do; absent where the scheme only says that it may come in. */
  readonly session?: KeySession;
}
