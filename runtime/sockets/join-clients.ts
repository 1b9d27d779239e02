// Adds a WebSocket to the clients of an output, in one of the ways to confirm messages.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Clients } from "../component/clients.ts";
import type { FrameType } from "./frames.ts";

export interface JoinOptions {
  /** The connection that the socket writes to. */
  readonly connection: Duplex;
  /** Milliseconds that a client has to respond, if it must acknowledge messages. */
  readonly ackTimeout: number;
  readonly frameType: FrameType;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly writeWait: number;
}

/** Adds the socket to `clients` until it closes. */
export type JoinClients = (clients: Pick<Clients, "join">, socket: WebSocket, options: JoinOptions) => void;
