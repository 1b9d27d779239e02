// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends messages over a bare socket. A message counts as delivered once the system has taken it, as servers of bare sockets confirm nothing.
 */
export interface SocketOutputOptions {
  /**
   * Kind of socket.
   */
  readonly network: "tcp" | "unix" | "udp";
  /**
   * Address of the server, or path of the socket.
   */
  readonly address: string;
  /**
   * How messages are written: each as a line (`lines`), with another end (`delim:X`), or as they are (`append`, `all-bytes`).
   */
  readonly codec?: string;
}

/** What the fields hold that a document leaves out. */
export const socketOutputDefaults = {
  codec: "lines"
} as const satisfies Partial<SocketOutputOptions>;
