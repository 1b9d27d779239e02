// How much a broker may send: `max-frame-size` and `max-message-size` of AMQP 1.0, part 2, 2.7.1 and 2.7.3. The client tells
// both to the broker and keeps neither: it collects a frame, or the frames of a message, however large they become.

import type { Connection, Receiver } from "rhea";

/** Bytes of the largest frame. */
export const largestFrame = 1024 * 1024;

/** Bytes of the largest message; as RabbitMQ has it where nothing else is configured. */
export const largestAmqpMessage = 128 * 1024 * 1024;

/** Parts of the client's connection that its types do not have. */
interface Receiving {
  /** Takes bytes from the socket. */
  input(bytes: Buffer): void;
  /** Bytes of the frame whose end has not come yet. */
  readonly frame_size?: number;
  readonly socket?: { destroy(): void };
}

/**
 * Ends a connection, with a `protocol_error` that says why, whose broker begins a larger frame or goes on with a larger
 * message. Call it before the connection is opened.
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
    // A connection has one link, and frames of two messages do not mix on a link.
    const isUnfinished = connection.find_receiver(hasUnfinished) !== undefined;
    unfinished = isUnfinished ? unfinished + bytes.length : 0;
    if ((receiving.frame_size ?? 0) > largestFrame)
      end(`the broker sent a frame of more than ${largestFrame} bytes`);
    else if (unfinished > largestAmqpMessage)
      end(`the broker sent a message of more than ${largestAmqpMessage} bytes`);
  };
}

/** Whether some frames of a message have come and others not. */
function hasUnfinished(receiver: Receiver): boolean {
  return "_incomplete" in receiver && receiver._incomplete !== undefined;
}
