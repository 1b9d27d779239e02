// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Scanner } from "../../../component/scanner.ts";

/**
 * Connects to a server over a bare socket and reads its messages. Nothing can be asked for again: what is under way when the gateway stops is lost.
 */
export interface SocketInputOptions {
  /**
   * Kind of socket.
   */
  readonly network: "tcp" | "unix";
  /**
   * Address of the server, or path of the socket.
   */
  readonly address: string;
  /**
   * How what is read is cut into messages: at the ends of lines, unless something else is asked for.
   */
  readonly scanner?: Scanner;
  /**
   * Whether a message that could not be delivered is tried again until it is; else it is given up, which is logged.
   */
  readonly auto_replay_nacks?: boolean;
}

/** What the fields hold that a document leaves out. */
export const socketInputDefaults = {
  auto_replay_nacks: true
} as const satisfies Partial<SocketInputOptions>;
