// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Receives messages from WebSocket clients. Each frame is one message.
 */
export interface WebsocketServerInputOptions {
  /**
   * Endpoint that upgrades to a WebSocket.
   */
  readonly path: string;
  /**
   * Origins whose pages may connect, or `*` for all. If none is listed, only pages of the gateway's own host may connect.
   */
  readonly allowed_origins?: readonly string[];
  /**
   * Type of the frames that are sent. By default, UTF-8 text is sent as text, anything else as binary.
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
}

/** What the fields hold that a document leaves out. */
export const websocketServerInputDefaults = {
  allowed_origins: [],
  welcome_message: "",
  ping_period: 54000
} as const satisfies Partial<WebsocketServerInputOptions>;
