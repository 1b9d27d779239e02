// A WebSocket among the clients of an output.

import type { WebSocket } from "ws";
import { StallGuard } from "../clients/stall-guard.ts";
import type { Clients } from "../component/clients.ts";
import type { PoolClient } from "../component/message-gates.ts";
import type { Message } from "../message/message.ts";
import { cutSocket, endSocket, type FrameType, sendFrame } from "./frames.ts";

export interface SocketClientOptions {
  readonly frameType: FrameType;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes that may wait for one client; above, the next clients in rotation get the messages. */
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

/** One object for each client: there may be thousands that are idle. */
class SocketClient implements PoolClient {
  readonly #socket: WebSocket;
  readonly #frameType: FrameType;
  readonly #guard: StallGuard<WebSocket>;

  constructor(socket: WebSocket, { frameType, writeWait }: SocketClientOptions) {
    this.#socket = socket;
    this.#frameType = frameType;
    this.#guard = new StallGuard(writeWait, socket, cutSocket);
  }

  isReady(): boolean {
    const socket = this.#socket;
    return socket.readyState === socket.OPEN && socket.bufferedAmount < maxBufferedBytes;
  }

  send(message: Message, confirm: () => void): void {
    this.#guard.began();
    sendFrame(this.#socket, message.bytes(), this.#frameType, (error) => {
      this.#guard.ended();
      if (error) this.#socket.terminate();
      else confirm();
    });
  }

  end(isReplaced: boolean): void {
    endSocket(this.#socket, isReplaced);
  }

  /** The connection is gone. */
  stop(): void {
    this.#guard.stop();
  }
}
