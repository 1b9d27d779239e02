// A client of an output, and the limits on its messages.

import type { WebSocket } from "ws";
import type { Batch, Message } from "../message/message.ts";
import type { EncodedPositions } from "../message/positions.ts";

/** What becomes of a message that a client is sent. Only the first call counts, and none after the client has left. */
export interface Receipt {
  /** The message counts as delivered to this client. */
  confirm(): void;
  /** The client does not take the message. */
  giveBack(): void;
}

/** A connected client of an output. */
export interface PoolClient {
  /** Whether it can accept another message now. */
  isReady(): boolean;
  /**
   * Sends a message. The outcome is a call because a promise would settle too late, after the end of the connection. If
   * the client cannot send, it leaves. With `id`, the client may later request the messages after this one.
   */
  send(message: Message, receipt: Receipt, id?: EncodedPositions): void;
  /** Whether it never uses the ids of messages, which then need not be made for it. */
  readonly ignoresIds?: boolean;
  /**
   * Whether it confirms all messages together that it is sent without a pause, and gives none back. Then they may share a
   * receipt, which it calls once.
   */
  readonly confirmsTogether?: boolean;
  /**
   * As `send`, for a client whose response contains the rest of a batch: the batch is delivered with its last
   * message.
   */
  readonly sendBatch?: ((this: this, batch: Batch, confirm: () => void) => void) | undefined;
  /** Closes the connection gracefully. `isReplaced`: the stream continues, and the client may reconnect immediately. */
  end(isReplaced: boolean): void;
}

/** The registration of a client among the clients of an output. */
export interface PoolMembership {
  /** The client calls this whenever it becomes ready again. */
  ready(): void;
  /** The client calls this when it has disconnected. */
  leave(): void;
}

/** Adds a client immediately. */
export type JoinNow = (client: PoolClient) => PoolMembership;

/** Adds a client immediately or after it has received the messages that it missed. */
export type Join = (client: PoolClient) => PoolMembership | Promise<PoolMembership>;

/** The limits on the messages of one connection. */
export interface MessageGates {
  /** Begins to inspect the frames of an open socket. */
  watch(socket: WebSocket): void;
  /**
   * Resolves when the next message of the socket may continue, in the order of the calls. Rejects with a
   * `GatewayError` if it may not continue, or if `signal` is aborted first.
   */
  fromClient(signal: AbortSignal): Promise<void>;
  /** Returns a `join` that adds clients which become ready no more often than they may receive messages. */
  toClient(join: JoinNow): JoinNow;
  toClient(join: Join): Join;
  /** Returns gates that apply the limits of both to the connection. */
  and?(gates: MessageGates): MessageGates;
}
