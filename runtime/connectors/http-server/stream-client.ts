// A held-open response among the clients of an output.

import type { ServerResponse } from "node:http";
import { createStallGuard } from "../../clients/stall-guard.ts";
import type { Join } from "../../component/message-gates.ts";

export interface StreamClientOptions {
  readonly contentType: string;
  /** Written before the first message. */
  readonly opening: string;
  /** How a message is written. */
  readonly frame: (bytes: Uint8Array, id?: string) => Buffer;
  /** Written whenever `heartbeat` milliseconds have passed; 0 for never. */
  readonly heartbeat: number;
  readonly heartbeatText: string;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/**
 * Sends the head at once and has `join` take the response in until the client leaves; resolves then. A silent
 * client is never timed out, only one that takes none of the bytes that wait for it. Rejects, with nothing sent,
 * when it cannot be taken in.
 */
export async function serveStream(
  join: Join,
  response: ServerResponse,
  options: StreamClientOptions,
): Promise<void> {
  if (response.closed) return;
  const guard = createStallGuard(options.writeWait, () => response.destroy());
  let isOpen = false;
  const membership = await join({
    isReady: () => isOpen && !response.destroyed && !response.writableEnded && !response.writableNeedDrain,
    send(message, confirm, _giveBack, id) {
      guard.began();
      response.write(options.frame(message.bytes(), id), (error) => {
        guard.ended();
        if (error) response.destroy();
        else confirm();
      });
    },
    end: () => response.end(),
  });
  if (response.closed) {
    membership.leave();
    return;
  }
  open(response, options);
  isOpen = true;
  const heartbeat = options.heartbeat > 0 ? setInterval(beat, options.heartbeat) : undefined;

  function beat(): void {
    if (!response.writableNeedDrain) response.write(options.heartbeatText);
  }

  response.on("drain", membership.ready.bind(membership));
  membership.ready();
  await new Promise<void>((resolve) => {
    response.once("close", () => {
      clearInterval(heartbeat);
      guard.stop();
      membership.leave();
      resolve();
    });
  });
}

function open(response: ServerResponse, { contentType, opening }: StreamClientOptions): void {
  // Set by itself, so that it can be read back: who counts connections tells by it that this one is held open.
  response.setHeader("x-accel-buffering", "no");
  response.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-cache, no-transform",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  if (opening !== "") response.write(opening);
}
