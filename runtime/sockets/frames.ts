// What goes out on a WebSocket.

import { isUtf8 } from "node:buffer";
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

/** The close of a server (RFC 6455, section 5.5.1), for a connection that no library writes to; `reason` has 123 bytes at most. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  return framed(0x88, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text]));
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
