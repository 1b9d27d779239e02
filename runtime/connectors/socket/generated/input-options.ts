// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Connects to a server over a plain socket and reads its messages. Messages cannot be requested again: those in flight when the gateway stops are lost.
 */
export interface SocketInputOptions {
  /**
   * Type of the socket.
   */
  readonly network: "tcp" | "unix";
  /**
   * Address of the server, or path of the socket.
   */
  readonly address: string;
  /**
   * Scanner that splits the content into messages; at the ends of lines by default.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const socketInputDefaults = {
  auto_replay_nacks: true
} as const satisfies Partial<SocketInputOptions>;
