// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { CorsPolicy } from "../../../component/endpoint.ts";
import type { RateLimit } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";

/**
 * Receives messages as HTTP requests. The body of each request is one message, and the caller gets the response once the output has confirmed it.
 */
export interface HttpServerInputOptions {
  /**
   * Endpoint that accepts one message per request.
   */
  readonly path?: string;
  /**
   * Label of an entry of `rate_limit_resources`. Requests beyond the limit get 429 with `Retry-After`; WebSocket frames are delayed.
   */
  readonly rate_limit?: RateLimit;
  /**
   * Endpoint that accepts one message per WebSocket frame.
   */
  readonly ws_path?: string;
  /**
   * Allowed methods; others get 405.
   */
  readonly allowed_verbs?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Maximum time that a caller waits for the output to confirm. After it, the response is 408.
   */
  readonly timeout?: number;
  /**
   * Text that is sent to each new WebSocket.
   */
  readonly ws_welcome_message?: string;
  /**
   * Text that is sent to a WebSocket whose frame waits for the rate limit. The frame is not lost.
   */
  readonly ws_rate_limit_message?: string;
  /**
   * Allows web pages of other origins to call. If it is omitted, only pages of the gateway's own origin may call.
   */
  readonly cors?: CorsPolicy | undefined;
  readonly sync_response?: SyncResponse;
}
/**
 * Response to the caller if the stream returns one.
 */
export interface SyncResponse {
  /**
   * Status of the response.
   */
  readonly status?: Text;
  /**
   * Headers of the response. Its content type is that of the message unless they set another.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Metadata of the message that becomes headers of the response. Headers that `headers` sets take precedence.
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
