// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { CorsPolicy } from "../../../component/endpoint.ts";
import type { RateLimit } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";

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
  /**
   * Text sent to each new socket.
   */
  readonly ws_welcome_message?: string;
  /**
   * Text sent to a socket whose frame waits for the rate limit; the frame is not lost.
   */
  readonly ws_rate_limit_message?: string;
  /**
   * Which pages of other origins may call. Without it no page may, but of the gateway's own origin.
   */
  readonly cors?: CorsPolicy | undefined;
  readonly sync_response?: SyncResponse;
}
/**
 * What the answer looks like where the stream makes one.
 */
export interface SyncResponse {
  /**
   * Status of the answer.
   */
  readonly status?: Text;
  /**
   * Headers of the answer; the type of the message goes with it unless they say another.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Metadata of the message that become headers of the answer; those that `headers` names stay as it says.
   */
  readonly metadata_headers?: NameTest | undefined;
}

/** What the fields hold that a document leaves out. */
export const httpServerInputDefaults = {
  allowed_verbs: [
    "POST"
  ],
  timeout: 5000,
  ws_welcome_message: "",
  ws_rate_limit_message: "",
  sync_response: {
    status: "200"
  }
} as const satisfies Partial<HttpServerInputOptions>;
