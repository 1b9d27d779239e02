// A WebSocket among the clients of an output.

import type { WebSocket } from "ws";
import { createStallGuard } from "../clients/stall-guard.ts";
import type { Clients } from "../component/clients.ts";
import { endSocket, type FrameType, sendFrame } from "./frames.ts";

export interface SocketClientOptions {
  readonly frameType: FrameType;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes that may wait for one client; above, the next clients in rotation get the messages. */
const maxBufferedBytes = 64 * 1024;

/** Adds the socket to `pool` until it closes. */
export function joinPool(pool: Pick<Clients, "join">, socket: WebSocket, options: SocketClientOptions): void {
  const guard = createStallGuard(options.writeWait, () => socket.terminate());
  const membership = pool.join({
    isReady: () => socket.readyState === socket.OPEN && socket.bufferedAmount < maxBufferedBytes,
    send(message, confirm) {
      guard.began();
      sendFrame(socket, message.bytes(), options.frameType, (error) => {
        guard.ended();
        if (error) socket.terminate();
        else confirm();
      });
    },
    end: (isReplaced) => endSocket(socket, isReplaced),
  });
  socket.once("close", () => {
    guard.stop();
    membership.leave();
  });
}
