// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { RateLimit } from "../../../resource.ts";

/**
 * Takes messages from HTTP requests: the body of each request is one message, and the caller is answered once the output has confirmed it.
 */
export interface HttpServerInputOptions {
  /**
   * Endpoint that takes one message per request.
   */
  readonly path?: string;
  /**
   * Label of an entry of `rate_limit_resources`. Requests beyond it get 429 with `Retry-After`; frames of sockets are held back.
   */
  readonly rate_limit?: RateLimit;
  /**
   * Endpoint that takes one message per WebSocket frame.
   */
  readonly ws_path?: string;
  /**
   * Methods let through; others get 405.
   */
  readonly allowed_verbs?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Longest time a caller waits for the output to confirm; after it the answer is 408.
   */
  readonly timeout?: number;
}

/** What the fields hold that a document leaves out. */
export const httpServerInputDefaults = {
  allowed_verbs: [
    "POST"
  ],
  timeout: 5000
} as const satisfies Partial<HttpServerInputOptions>;
