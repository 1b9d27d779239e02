// What requests prove themselves with.

import type { OutgoingRequest, Send } from "./request.ts";

/** Something that makes a request believed. */
export interface Credentials {
  /**
   * Adds to the headers of a request that is otherwise complete. `send` reaches whoever gives out tokens, by the
   * same way as the request itself. Rejects with a `GatewayError` that quotes no secret.
   */
  apply(request: OutgoingRequest, send: Send): void | Promise<void>;
  /** Told that a server refused what `request` was given (401): whether applying again may give something else. */
  renew?(request: OutgoingRequest): boolean;
}
