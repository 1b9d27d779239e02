// A WebSocket as a client of an output.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { StallGuard } from "../clients/stall-guard.ts";
import { addToTurn, type JoinItems, joinItems, type Turn, writeTurn } from "../clients/turn.ts";
import type { Clients } from "../component/clients.ts";
import type { PoolClient, Receipt } from "../component/message-gates.ts";
import type { Message } from "../message/message.ts";
import { cutSocket, endSocket, type FrameType, frameJoin, frameSize } from "./frames.ts";

export interface SocketClientOptions {
  /** The connection that the socket writes to. */
  readonly connection: Duplex;
  readonly frameType: FrameType;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly writeWait: number;
}

/** The most bytes that may wait for one client; beyond that, the next clients in rotation get the messages. */
const maxBufferedBytes = 64 * 1024;

/** Adds the socket to `pool` until it closes. */
export function joinPool(pool: Pick<Clients, "join">, socket: WebSocket, options: SocketClientOptions): void {
  const client = new SocketClient(socket, options);
  const membership = pool.join(client);
  socket.on("close", () => {
    client.stop();
    membership.leave();
  });
}

/** One object per client, as thousands of idle ones may exist. */
class SocketClient implements PoolClient {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #join: JoinItems<Uint8Array>;
  readonly #writeWait: number;
  /** Created when messages first wait for the client. */
  #guard: StallGuard<WebSocket> | undefined = undefined;
  /** The contents of the messages of this turn of the event loop. */
  #turn: Turn<Uint8Array> | undefined = undefined;

  constructor(socket: WebSocket, { connection, frameType, writeWait }: SocketClientOptions) {
    this.#socket = socket;
    this.#connection = connection;
    this.#join = frameJoin(frameType);
    this.#writeWait = writeWait;
  }

  get ignoresIds(): boolean {
    return true;
  }

  get confirmsTogether(): boolean {
    return true;
  }

  isReady(): boolean {
    const socket = this.#socket;
    const isOpen = socket.readyState === socket.OPEN;
    return isOpen && this.#connection.writableLength < maxBufferedBytes && this.#turn?.isFull !== true;
  }

  send(message: Message, receipt: Receipt): void {
    const content = message.bytes();
    this.#turn = addToTurn(this.#turn, this, content, frameSize(content), receipt);
  }

  /**
   * Writes the messages of this turn, bypassing ws, which creates the frames of a message for each client and writes
   * them in two parts. ws itself sends only complete control frames here, so frames do not mix.
   */
  flush(): void {
    const [turn, socket] = [this.#turn, this.#socket];
    this.#turn = undefined;
    if (turn === undefined || socket.readyState !== socket.OPEN) return;
    const bytes = joinItems(turn, this.#join);
    this.#guard = writeTurn(this.#connection, turn, bytes, this.#guard, () => this.#createGuard());
  }

  #createGuard(): StallGuard<WebSocket> {
    return new StallGuard(this.#writeWait, this.#socket, cutSocket);
  }

  end(isReplaced: boolean): void {
    this.flush();
    endSocket(this.#socket, isReplaced);
  }

  /** Called when the connection is closed. */
  stop(): void {
    this.#guard?.stop();
  }
}
