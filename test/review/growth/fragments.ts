// WebSocket messages that arrive in as many fragments as a client can make.

import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { openSocket } from "../../../runtime/sockets/upgrade.ts";
import type { Work } from "./measure.ts";

/** Returns a frame of a client, with a mask of zeros (RFC 6455, section 5.2). */
export function frame(first: number, payload: string): Buffer {
  return Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0, ...Buffer.from(payload)]);
}

const [continuation, text, ping, last] = [0x00, 0x01, 0x09, 0x80];

/** Frames to repeat between the first and the last frame of a message. */
const ways: Readonly<Record<string, Buffer>> = {
  "fragments of a byte": frame(continuation, "x"),
  "fragments of nothing": frame(continuation, ""),
  "fragments with pings between them": Buffer.concat([frame(continuation, "x"), frame(last | ping, "p")]),
};

/** The number of bytes that arrive from the network at a time. */
const pieceSizes = [1, 16_384];

/**
 * Reads a client's bytes; resolves with true when its message arrives, with false if its socket closes or fails before.
 */
export function receive(bytes: Buffer, pieceSize: number): Promise<boolean> {
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const end = (isThere: boolean) => {
      connection.destroy();
      resolve(isThere);
    };
    const refusal = openSocket({ request, socket: connection, head: Buffer.alloc(0) }, [
      {
        maxFrameBytes: 16 * 1024 * 1024,
        pingPeriod: 60_000,
        pongWait: 60_000,
        attach: (socket) =>
          void socket
            .once("message", () => end(true))
            .once("close", () => end(false))
            .once("error", () => end(false)),
      },
    ]);
    if (refusal !== undefined) reject(refusal);
    for (let at = 0; at < bytes.length; at += pieceSize) connection.push(bytes.subarray(at, at + pieceSize));
  });
}

/** Returns a message with a first and a last frame, and `again` repeated `count` times between them. */
export function fragmented(again: Buffer, count: number): Buffer {
  const between = Array.from({ length: count }, () => again);
  return Buffer.concat([frame(text, "a"), ...between, frame(last | continuation, "z")]);
}

/** The works, by the bytes that a client sends. */
export const worksOnFragments: readonly Work[] = Object.entries(ways).flatMap(([name, again]) =>
  pieceSizes.map((pieceSize) => ({
    name: `${name}, in pieces of ${pieceSize}`,
    prepare(size: number) {
      const bytes = fragmented(again, Math.ceil(size / again.length));
      return () => receive(bytes, pieceSize);
    },
  })),
);
