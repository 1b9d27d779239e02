// What goes out on a WebSocket.

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Message } from "../message/message.ts";

/** Kind of the frames that are sent; `undefined` chooses text for UTF-8 text. */
export type FrameType = "text" | "binary" | undefined;

/** Milliseconds a client has to answer a close before its connection is cut. */
const farewellTime = 5_000;

/** Sends a frame; `done` is called once it has left the process, or with why it cannot. */
export function sendFrame(
  socket: WebSocket,
  bytes: Uint8Array,
  type: FrameType,
  done: (error?: Error) => void,
): void {
  const binary = type === undefined ? !isUtf8(bytes) : type === "binary";
  socket.send(bytes, { binary }, done);
}

let last: { readonly message: Message; readonly type: FrameType; readonly frame: Buffer } | undefined;

/** A message as one frame of a server (RFC 6455, section 5.2); a broadcast gives one message to each of its clients in turn. */
export function messageFrame(message: Message, type: FrameType): Buffer {
  if (last === undefined || last.message !== message || last.type !== type) {
    last = { message, type, frame: frameOf(message.bytes(), type) };
  }
  return last.frame;
}

/**
 * The close of a server (RFC 6455, section 5.5.1), for a connection that no library writes to; `reason` has 123 bytes at most.
 * What a client sends is masked (section 5.3).
 */
export function closeFrame(code: number, reason: string, from: "server" | "client" = "server"): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  if (from === "server") return framed(0x88, payload);
  const key = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (key[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x88, 0x80 | payload.length]), key, masked]);
}

/** The frames that one end of a WebSocket sends, as their bytes come (RFC 6455, section 5.2). */
export class FrameBoundaries {
  /** Those that have begun and are only a part of a message (section 5.4). */
  fragments = 0;
  /** Whether a close frame has passed, which no frame may follow. */
  hasClosed = false;
  /** Bytes of the head that have passed, and all that it has; it is read byte by byte, as pieces may end anywhere. */
  #headBytes = 0;
  #headLength = 2;
  #isClose = false;
  #maskLength = 0;
  #length = 0;
  /** Bytes of the mask and the payload that have yet to pass. */
  #left = 0;

  /** Whether a frame can follow that the end has not sent. */
  get isBetween(): boolean {
    return this.#headBytes === 0 && this.#left === 0;
  }

  /** Follows all of `piece`. */
  pass(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) at = this.passFrame(piece, at);
  }

  /** Follows `piece` from a place to the end of the frame there, or to its own; gives where that is. */
  passFrame(piece: Buffer, from: number): number {
    let at = from;
    while (at < piece.length) {
      if (this.#left === 0) {
        this.#passHead(piece[at] ?? 0);
        at += 1;
      } else {
        const step = Math.min(this.#left, piece.length - at);
        this.#left -= step;
        at += step;
      }
      if (this.isBetween) break;
    }
    return at;
  }

  #passHead(byte: number): void {
    this.#headBytes += 1;
    if (this.#headBytes === 1) {
      const kind = byte & 0x0f;
      this.#isClose = kind === 8;
      // One that goes on with a message, or that another one follows.
      if (kind === 0 || byte < 0x80) this.fragments += 1;
      this.#headLength = 2;
    } else if (this.#headBytes === 2) {
      const short = byte & 0x7f;
      this.#maskLength = byte > 0x7f ? 4 : 0;
      this.#headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
      this.#length = short < 126 ? short : 0;
    } else this.#length = this.#length * 256 + byte;
    if (this.#headBytes < this.#headLength) return;
    this.#headBytes = 0;
    this.#left = this.#maskLength + this.#length;
    this.hasClosed ||= this.#isClose;
  }
}

function frameOf(bytes: Uint8Array, type: FrameType): Buffer {
  const isBinary = type === undefined ? !isUtf8(bytes) : type === "binary";
  return framed(isBinary ? 0x82 : 0x81, bytes);
}

function framed(first: number, bytes: Uint8Array): Buffer {
  const { length } = bytes;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = first;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(bytes, head);
  return frame;
}

/** Sends a fixed text, when there is something to say; that it cannot be sent means that the client is gone. */
export function sendText(socket: WebSocket, text: string): void {
  if (text !== "") socket.send(text, () => undefined);
}

/** Tells a client that the gateway ends, or where `isReplaced` that it may connect again at once: its stream goes on. */
export function endSocket(socket: WebSocket, isReplaced: boolean): void {
  if (isReplaced) closeSocket(socket, 1012, "the stream has changed");
  else closeSocket(socket, 1001, "gateway is closing");
}

/** Cuts a connection that takes nothing. */
export function cutSocket(socket: WebSocket): void {
  socket.terminate();
}

/** Closes with a code, and cuts the connection when the client does not answer; the first to close it says why. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  // The answer to the close is not read on a paused socket. One whose handshake has failed cannot be resumed.
  if (socket.isPaused) socket.resume();
  if (socket.readyState === socket.CLOSING || socket.readyState === socket.CLOSED) return;
  const cut = setTimeout(() => socket.terminate(), farewellTime);
  socket.once("close", () => clearTimeout(cut));
  socket.close(code, reason);
}
