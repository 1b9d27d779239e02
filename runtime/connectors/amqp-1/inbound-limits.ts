// Limits how much a broker may send: `max-frame-size` and `max-message-size` of AMQP 1.0, part 2, 2.7.1 and 2.7.3.
// The client announces both to the broker and enforces neither: it collects a frame, or the frames of a message,
// however large they become.

import type { Connection, Receiver } from "rhea";

/** Size of the largest frame, in bytes. */
export const largestFrame = 1024 * 1024;

/** Size of the largest message, in bytes: the default of RabbitMQ. */
export const largestAmqpMessage = 128 * 1024 * 1024;

/** Parts of the client's connection that its types leave out. */
interface Receiving {
  /** Takes bytes from the socket. */
  input(bytes: Buffer): void;
  /** Size of the current incomplete frame, in bytes. */
  readonly frame_size?: number;
  readonly socket?: { destroy(): void };
}

/**
 * Ends a connection, with a `protocol_error` that gives the reason, if the broker starts a frame or continues a
 * message that is too large. Call it before the connection is opened.
 */
export function limitInbound(connection: Connection): void {
  const receiving = connection as unknown as Receiving;
  const input = receiving.input;
  let unfinished = 0;
  const end = (reason: string) => {
    connection.emit("protocol_error", new Error(reason));
    receiving.socket?.destroy();
  };
  receiving.input = (bytes) => {
    input.call(connection, bytes);
    // A connection has one link, and the frames of two messages do not interleave on a link.
    const isUnfinished = connection.find_receiver(hasUnfinished) !== undefined;
    unfinished = isUnfinished ? unfinished + bytes.length : 0;
    if ((receiving.frame_size ?? 0) > largestFrame)
      end(`the broker sent a frame of more than ${largestFrame} bytes`);
    else if (unfinished > largestAmqpMessage)
      end(`the broker sent a message of more than ${largestAmqpMessage} bytes`);
  };
}

/** Returns whether a message has arrived only in part. */
function hasUnfinished(receiver: Receiver): boolean {
  return "_incomplete" in receiver && receiver._incomplete !== undefined;
}
