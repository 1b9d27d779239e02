// A client that writes raw bytes, which no library would send.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { within } from "../../harness/wait.ts";

/** A connection that records what it receives. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far, as latin1. */
  readonly received: string;
  readonly isClosed: boolean;
  write(text: string): void;
  /** Resolves when the other side has closed the connection. */
  ended(): Promise<void>;
}

/** Connects to a loopback port. */
export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  let isClosed = false;
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  // A reset counts as an ordinary end.
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  await once(socket, "connect");
  return {
    socket,
    get received() {
      return received;
    },
    get isClosed() {
      return isClosed;
    },
    write: (text) => void socket.write(text, "latin1"),
    ended: () => within(closed, { what: "the end of the connection" }),
  };
}
