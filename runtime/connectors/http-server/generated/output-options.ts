// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Distribution } from "../../../clients/distribution.ts";
import type { CorsPolicy } from "../../../component/endpoint.ts";
import type { JoinClients } from "../../../sockets/join-clients.ts";

/**
 * Hands messages to HTTP clients that ask for them; each message goes to one of the connected clients, or to all.
 */
export interface HttpServerOutputOptions {
  /**
   * Endpoint that answers by what the client asks for: a WebSocket upgrade gets a socket, `Accept: text/event-stream` gets server-sent events, anything else one message.
   */
  readonly path?: string;
  /**
   * Endpoint that holds the response open and writes each message as it comes.
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
   * Kind of frame; where none is given, text for messages that are UTF-8 text, else binary.
   */
  readonly ws_message_type?: "text" | "binary";
  /**
   * Methods let through; others get 405.
   */
  readonly allowed_verbs?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Longest time a request for one message waits for it; after it the answer is 408.
   */
  readonly timeout?: number;
  /**
   * Pause between the comments that keep a silent event stream open; `0s` sends none.
   */
  readonly heartbeat?: number;
  /**
   * Pause between the pings on a socket; must be shorter than `pong_wait`.
   */
  readonly ping_period?: number;
  /**
   * A socket that has not answered a ping for this long is dropped.
   */
  readonly pong_wait?: number;
  /**
   * Longest time the write of one frame may take, or a client may take nothing of the message it asked for; then another gets it.
   */
  readonly write_wait?: number;
  /**
   * Who gets a message: one of the connected clients in turn (`share`), or each of them (`broadcast`).
   */
  readonly distribution?: Distribution;
  /**
   * When a message counts as delivered: once its bytes have left (`sent`), or once the client of a socket has said so (`client`): frames are `{"id", "data"}`, answers `{"ack": id}` or `{"nack": id}`.
   */
  readonly ack?: JoinClients;
  /**
   * Longest time a client has for its answer; after it another client gets the message.
   */
  readonly ack_timeout?: number;
  /**
   * Which pages of other origins may call. Without it no page may, but of the gateway's own origin.
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
