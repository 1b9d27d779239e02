// Where the messages of one client are held to its limits.

import type { WebSocket } from "ws";
import type { Clients, Membership, PoolClient } from "./clients.ts";

/** How a client is taken in among others. */
export type JoinNow = (client: PoolClient) => Membership;

/** The same, at once or when it has what it missed. */
export type Join = (client: PoolClient) => Membership | Promise<Membership>;

/** The limits on messages of one connection. */
export interface MessageGates {
  /** Begins to look at what comes on an open socket. */
  watch(socket: WebSocket): void;
  /**
   * Resolves when the next message of the socket may go on, in the order of the calls. Rejects with a `GatewayError` when
   * it may not, and when `signal` is aborted before.
   */
  fromClient(signal: AbortSignal): Promise<void>;
  /** Takes clients in by `join`, as ones that are ready no oftener than they may get messages. */
  toClient(join: JoinNow): JoinNow;
  toClient(join: Join): Join;
}

/** The clients of an output, which take in one that is held to its limits. */
export function gatedClients(clients: Clients, gates: MessageGates | undefined): Pick<Clients, "join"> {
  return gates === undefined ? clients : { join: gates.toClient((client) => clients.join(client)) };
}
