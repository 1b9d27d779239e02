// A WebSocket among the clients of an output, by what counts as delivered there.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Clients } from "../component/clients.ts";
import type { FrameType } from "./frames.ts";

export interface JoinOptions {
  /** What the socket writes to. */
  readonly connection: Duplex;
  /** Milliseconds a client has for its answer, where one is waited for. */
  readonly ackTimeout: number;
  readonly frameType: FrameType;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Adds the socket to `clients` until it closes. */
export type JoinClients = (clients: Pick<Clients, "join">, socket: WebSocket, options: JoinOptions) => void;
