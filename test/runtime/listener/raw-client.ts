// A client that writes bytes, as no library would.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { within } from "../../harness/wait.ts";

/** A connection that keeps what came. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything so far, as latin1. */
  readonly received: string;
  readonly isClosed: boolean;
  write(text: string): void;
  /** Resolves when the other side has ended it. */
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
  // A reset is an end like any other here.
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
