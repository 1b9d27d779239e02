// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../../component/scanner.ts";

/**
 * Listens on an address of its own and reads what clients send over plain sockets, without authentication. Messages in flight when the gateway stops are lost.
 */
export interface SocketServerInputOptions {
  /**
   * Type of the socket.
   */
  readonly network: "tcp" | "unix" | "udp" | "tls";
  /**
   * Address or path to listen on.
   */
  readonly address: string;
  readonly tls?: SocketServerTls;
  /**
   * Scanner that splits the content into messages; at the ends of lines by default.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}
/**
 * Certificate of the server, for `network: tls`.
 */
export interface SocketServerTls {
  /**
   * File with the certificate, as PEM.
   */
  readonly cert_file?: string;
  /**
   * File with the private key, as PEM.
   */
  readonly key_file?: string;
  /**
   * Whether a self-signed certificate is created, which clients cannot verify.
   */
  readonly self_signed?: boolean;
}

/** What the fields hold that a document leaves out. */
export const socketServerInputDefaults = {
  tls: {
    self_signed: false
  },
  auto_replay_nacks: true
} as const satisfies Partial<SocketServerInputOptions>;
