// One client of an output, and the limits on its messages.

import type { WebSocket } from "ws";
import type { Batch, Message } from "../message/message.ts";

/** A connected client of an output. */
export interface PoolClient {
  /** Whether it can take one more message now. */
  isReady(): boolean;
  /**
   * Sends, and calls `confirm` the moment the message counts as delivered to this client: a promise would settle too late,
   * after the end of the connection. When it cannot send, the client leaves. With `id` the client may later ask for the
   * messages after this one.
   */
  send(message: Message, confirm: () => void, giveBack: () => void, id?: string): void;
  /** As `send`, for a client whose answer holds all that is left of a batch: it counts as delivered with its last message. */
  readonly sendBatch?: ((batch: Batch, confirm: () => void) => void) | undefined;
  /** Ends the connection politely; `isReplaced`: the stream goes on, and the client may come again at once. */
  end(isReplaced: boolean): void;
}

/** A client's place among the others. */
export interface PoolMembership {
  /** To be called whenever the client becomes ready after it was not. */
  ready(): void;
  /** To be called when the client is gone. */
  leave(): void;
}

/** How a client is taken in among others. */
export type JoinNow = (client: PoolClient) => PoolMembership;

/** The same, at once or when it has what it missed. */
export type Join = (client: PoolClient) => PoolMembership | Promise<PoolMembership>;

/** The limits on messages of one connection. */
export interface MessageGates {
  /** Begins to inspect the frames of an open socket. */
  watch(socket: WebSocket): void;
  /**
   * Resolves when the next message of the socket may go on, in the order of the calls. Rejects with a `GatewayError` when
   * it may not, and when `signal` is aborted before.
   */
  fromClient(signal: AbortSignal): Promise<void>;
  /** Takes clients in by `join`, as ones that are ready no oftener than they may get messages. */
  toClient(join: JoinNow): JoinNow;
  toClient(join: Join): Join;
  /** Holds the connection to `gates` as well; gives what holds it to both. */
  and?(gates: MessageGates): MessageGates;
}
