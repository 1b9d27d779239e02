// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends messages over a plain socket. A message counts as delivered once the operating system has accepted it, because the server sends no confirmation.
 */
export interface SocketOutputOptions {
  /**
   * Type of the socket.
   */
  readonly network: "tcp" | "unix" | "udp";
  /**
   * Address of the server, or path of the socket.
   */
  readonly address: string;
  /**
   * How messages are written: each as a line (`lines`), with another delimiter at its end (`delim:X`), or unchanged (`append`, `all-bytes`).
   */
  readonly codec?: string;
}

/** What the fields hold that a document leaves out. */
export const socketOutputDefaults = {
  codec: "lines"
} as const satisfies Partial<SocketOutputOptions>;
