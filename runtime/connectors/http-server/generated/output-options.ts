// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Distribution } from "../../../clients/distribution.ts";
import type { CorsPolicy } from "../../../component/endpoint.ts";
import type { JoinClients } from "../../../sockets/join-clients.ts";

/**
 * Sends messages to HTTP clients that request them. Each message goes to one of the connected clients, or to all of them.
 */
export interface HttpServerOutputOptions {
  /**
   * Endpoint that responds according to the request: a WebSocket upgrade gets a WebSocket, `Accept: text/event-stream` gets server-sent events, and any other request gets one message.
   */
  readonly path?: string;
  /**
   * Endpoint that keeps the response open and writes each message as it arrives.
   */
  readonly stream_path?: string;
  /**
   * How messages are written at `stream_path`.
   */
  readonly stream_format?: "event_source" | "raw_bytes";
  /**
   * Endpoint that sends each message as a WebSocket frame.
   */
  readonly ws_path?: string;
  /**
   * Type of the frames. By default, messages that are UTF-8 text are sent as text, others as binary.
   */
  readonly ws_message_type?: "text" | "binary";
  /**
   * Allowed methods; others get 405.
   */
  readonly allowed_verbs?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Maximum time that a request for one message waits. After it, the response is 408.
   */
  readonly timeout?: number;
  /**
   * Interval between the comments that keep an idle event stream open; `0s` sends none.
   */
  readonly heartbeat?: number;
  /**
   * Interval between the pings on a WebSocket; must be shorter than `pong_wait`.
   */
  readonly ping_period?: number;
  /**
   * Time after which a WebSocket that has not answered a ping is closed.
   */
  readonly pong_wait?: number;
  /**
   * Maximum time that writing a frame may take, or that a client may read nothing of the message it requested. After it, another client gets the message.
   */
  readonly write_wait?: number;
  /**
   * Clients that get a message: one of the connected clients in turn (`share`), or all of them (`broadcast`).
   */
  readonly distribution?: Distribution;
  /**
   * When a message counts as delivered: once its bytes are sent (`sent`), or once the WebSocket client has acknowledged it (`client`). With `client`, frames are `{"id", "data"}`, and the client answers `{"ack": id}` or `{"nack": id}`.
   */
  readonly ack?: JoinClients;
  /**
   * Maximum time that a client may take to acknowledge. After it, another client gets the message.
   */
  readonly ack_timeout?: number;
  /**
   * Allows web pages of other origins to call. If it is omitted, only pages of the gateway's own origin may call.
   */
  readonly cors?: CorsPolicy | undefined;
}

/** What the fields hold that a document leaves out. */
export const httpServerOutputDefaults = {
  stream_format: "event_source",
  allowed_verbs: [
    "GET"
  ],
  timeout: 5000,
  heartbeat: 15000,
  ping_period: 54000,
  pong_wait: 60000,
  write_wait: 10000,
  ack_timeout: 30000
} as const satisfies Partial<HttpServerOutputOptions>;
