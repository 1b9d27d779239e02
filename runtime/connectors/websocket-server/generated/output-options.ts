// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Distribution } from "../../../clients/distribution.ts";
import type { JoinClients } from "../../../sockets/join-clients.ts";

/**
 * Sends messages to WebSocket clients. Each message goes to one of them, or to all.
 */
export interface WebsocketServerOutputOptions {
  /**
   * Endpoint that upgrades to a WebSocket.
   */
  readonly path: string;
  /**
   * Origins whose pages may connect, or `*` for all. If none is listed, only pages of the gateway's own host may connect.
   */
  readonly allowed_origins?: readonly string[];
  /**
   * Type of the frames. By default, messages that are UTF-8 text are sent as text, others as binary.
   */
  readonly message_type?: "text" | "binary";
  /**
   * Text that is sent to each client when it connects. If empty, nothing is sent.
   */
  readonly welcome_message?: string;
  /**
   * Interval between the pings that keep a WebSocket open.
   */
  readonly ping_period?: number;
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
}

/** What the fields hold that a document leaves out. */
export const websocketServerOutputDefaults = {
  allowed_origins: [],
  welcome_message: "",
  ping_period: 54000,
  ack_timeout: 30000
} as const satisfies Partial<WebsocketServerOutputOptions>;
