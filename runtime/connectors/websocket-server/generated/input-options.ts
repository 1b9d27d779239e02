// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Takes messages from WebSocket clients: each frame is one message.
 */
export interface WebsocketServerInputOptions {
  /**
   * Endpoint that upgrades to a WebSocket.
   */
  readonly path: string;
  /**
   * Origins whose pages may connect, or `*`; where none is listed, only pages of the gateway's own host.
   */
  readonly allowed_origins?: readonly string[];
  /**
   * Kind of the frames that are sent; where none is given, text for UTF-8 text, else binary.
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
}

/** What the fields hold that a document leaves out. */
export const websocketServerInputDefaults = {
  allowed_origins: [],
  welcome_message: "",
  ping_period: 54000
} as const satisfies Partial<WebsocketServerInputOptions>;
