// A WebSocket among the clients of an output, by what counts as delivered there.

import type { WebSocket } from "ws";
import type { Clients } from "../clients.ts";
import { joinAcknowledged } from "./acknowledged-client.ts";
import type { FrameType } from "./frames.ts";
import { joinPool } from "./socket-client.ts";

export interface JoinOptions {
  /** `sent`: its bytes have left; `client`: the client has said so. */
  readonly ack: "sent" | "client";
  /** Milliseconds a client has to say so. */
  readonly ackTimeout: number;
  readonly frameType: FrameType;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Adds the socket to `clients` until it closes. */
export function joinClients(clients: Clients, socket: WebSocket, options: JoinOptions): void {
  if (options.ack === "client") joinAcknowledged(clients, socket, options);
  else joinPool(clients, socket, options);
}
