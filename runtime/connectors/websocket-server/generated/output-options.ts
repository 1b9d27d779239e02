// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Distribution } from "../../../clients/distribution.ts";
import type { JoinClients } from "../../../sockets/join-clients.ts";

/**
 * Sends messages to WebSocket clients; each message goes to one of them, or to all.
 */
export interface WebsocketServerOutputOptions {
  /**
   * Endpoint that upgrades to a WebSocket.
   */
  readonly path: string;
  /**
   * Origins whose pages may connect, or `*`; where none is listed, only pages of the gateway's own host.
   */
  readonly allowed_origins?: readonly string[];
  /**
   * Kind of frame; where none is given, text for messages that are UTF-8 text, else binary.
   */
  readonly message_type?: "text" | "binary";
  /**
   * Text sent to each client when it connects; empty sends none.
   */
  readonly welcome_message?: string;
  /**
   * Pause between the pings that keep a socket open.
   */
  readonly ping_period?: number;
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
}

/** What the fields hold that a document leaves out. */
export const websocketServerOutputDefaults = {
  allowed_origins: [],
  welcome_message: "",
  ping_period: 54000,
  ack_timeout: 30000
} as const satisfies Partial<WebsocketServerOutputOptions>;
