// A held-open response among the clients of an output.

import type { ServerResponse } from "node:http";
import type { Clients } from "../../clients.ts";
import { createStallGuard } from "../../stall-guard.ts";

export interface StreamClientOptions {
  readonly contentType: string;
  /** Written before the first message. */
  readonly opening: string;
  /** How a message is written. */
  readonly frame: (bytes: Uint8Array) => Buffer;
  /** Written whenever `heartbeat` milliseconds have passed; 0 for never. */
  readonly heartbeat: number;
  readonly heartbeatText: string;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/**
 * Sends the head at once and adds the response to `pool` until the client leaves; resolves then. A silent
 * client is never timed out, only one that takes none of the bytes that wait for it.
 */
export function serveStream(
  pool: Clients,
  response: ServerResponse,
  options: StreamClientOptions,
): Promise<void> {
  if (response.closed) return Promise.resolve();
  const guard = createStallGuard(options.writeWait, () => response.destroy());
  response.writeHead(200, {
    "content-type": options.contentType,
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  if (options.opening !== "") response.write(options.opening);
  const heartbeat = options.heartbeat > 0 ? setInterval(beat, options.heartbeat) : undefined;

  function beat(): void {
    if (!response.writableNeedDrain) response.write(options.heartbeatText);
  }

  const membership = pool.join({
    isReady: () => !response.destroyed && !response.writableEnded && !response.writableNeedDrain,
    send(message, confirm) {
      guard.began();
      response.write(options.frame(message.bytes()), (error) => {
        guard.ended();
        if (error) response.destroy();
        else confirm();
      });
    },
    end: () => response.end(),
  });
  response.on("drain", membership.ready);
  return new Promise((resolve) => {
    response.once("close", () => {
      clearInterval(heartbeat);
      guard.stop();
      membership.leave();
      resolve();
    });
  });
}
