// Writes and follows WebSocket frames (RFC 6455, section 5).

import { isUtf8 } from "node:buffer";
import type { WebSocket } from "ws";
import type { JoinItems } from "../clients/turn.ts";
import { crypto } from "../process/builtins.ts";

/** The type of the frames to send; `undefined` chooses text for valid UTF-8. */
export type FrameType = "text" | "binary" | undefined;

/** Milliseconds that a client has to respond to a close frame before its connection is destroyed. */
const farewellTime = 5_000;

/** Sends a frame; calls `done` once it has left the process, or with the error. */
export function sendFrame(
  socket: WebSocket,
  bytes: Uint8Array,
  type: FrameType,
  done: (error?: Error) => void,
): void {
  socket.send(bytes, { binary: isBinary(bytes, type) }, done);
}

/** Makes server frames of contents (RFC 6455, section 5.2), one after the other, and copies each content once. */
const joins = {
  text: (contents: readonly Uint8Array[]) => inRow(contents, "text"),
  binary: (contents: readonly Uint8Array[]) => inRow(contents, "binary"),
  either: (contents: readonly Uint8Array[]) => inRow(contents, undefined),
};

/** Returns the function that makes frames of contents: the same for all sockets with frames of this type. */
export function frameJoin(type: FrameType): JoinItems<Uint8Array> {
  return joins[type ?? "either"];
}

/** Returns the bytes of a server frame. */
export function frameSize({ length }: Uint8Array): number {
  return headSize(length) + length;
}

/**
 * Returns a close frame (RFC 6455, section 5.5.1), for a connection that no library writes to; `reason` has at most
 * 123 bytes. Frames of a client are masked (section 5.3).
 */
export function closeFrame(code: number, reason: string, from: "server" | "client" = "server"): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  if (from === "server") return framed(0x88, payload);
  const key = crypto().randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (key[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x88, 0x80 | payload.length]), key, masked]);
}

/** Follows the frames that one end of a WebSocket sends (RFC 6455, section 5.2). */
export class FrameBoundaries {
  /** The number of frames so far that are only a part of a message (section 5.4). */
  fragments = 0;
  /** Whether a close frame has passed; no frame may follow it. */
  hasClosed = false;
  /** Bytes of the head that have passed, and its length; it is read byte by byte, as pieces may end anywhere. */
  #headBytes = 0;
  #headLength = 2;
  #isClose = false;
  #maskLength = 0;
  #length = 0;
  /** Bytes of the mask and the payload that have yet to pass. */
  #left = 0;

  /** Whether the position is between two frames, so that the gateway can insert its own. */
  get isBetween(): boolean {
    return this.#headBytes === 0 && this.#left === 0;
  }

  /** Follows all of `piece`. */
  pass(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) at = this.passFrame(piece, at);
  }

  /** Follows `piece` from a position to the end of the frame there, or of the piece; returns that position. */
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
      // A continuation frame, or a frame without FIN.
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

function inRow(contents: readonly Uint8Array[], type: FrameType): Buffer {
  const frames = Buffer.allocUnsafe(contents.reduce((sum, content) => sum + frameSize(content), 0));
  let at = 0;
  for (const content of contents) at = writeFrame(frames, at, isBinary(content, type) ? 0x82 : 0x81, content);
  return frames;
}

function isBinary(bytes: Uint8Array, type: FrameType): boolean {
  return type === undefined ? !isUtf8(bytes) : type === "binary";
}

function framed(first: number, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameSize(bytes));
  writeFrame(frame, 0, first, bytes);
  return frame;
}

function headSize(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10;
}

/** Writes an unmasked frame; returns where it ends. */
function writeFrame(to: Buffer, at: number, first: number, content: Uint8Array): number {
  const { length } = content;
  const start = at + headSize(length);
  to[at] = first;
  if (length < 126) to[at + 1] = length;
  else if (length < 65_536) {
    to[at + 1] = 126;
    to[at + 2] = length >> 8;
    to[at + 3] = length;
  } else {
    to[at + 1] = 127;
    to.writeBigUInt64BE(BigInt(length), at + 2);
  }
  to.set(content, start);
  return start + length;
}

/** Sends a fixed text unless it is empty; ignores the error if the client is gone. */
export function sendText(socket: WebSocket, text: string): void {
  if (text !== "") socket.send(text, () => undefined);
}

/** Tells a client that the gateway closes or, if `isReplaced`, that it may reconnect to its stream immediately. */
export function endSocket(socket: WebSocket, isReplaced: boolean): void {
  if (isReplaced) closeSocket(socket, 1012, "the stream has changed");
  else closeSocket(socket, 1001, "gateway is closing");
}

/** Destroys the connection of a client that reads nothing. */
export function cutSocket(socket: WebSocket): void {
  socket.terminate();
}

/** Closes with a code, and destroys the connection if the client does not respond; the first reason counts. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  // A paused socket does not read the response to the close frame. After a failed handshake it cannot be resumed.
  if (socket.isPaused) socket.resume();
  if (socket.readyState === socket.CLOSING || socket.readyState === socket.CLOSED) return;
  const cut = setTimeout(() => socket.terminate(), farewellTime);
  socket.once("close", () => clearTimeout(cut));
  socket.close(code, reason);
}
