import type { WebSocket } from "ws";
import type { Output } from "../../component/component.ts";
import { TransientSet } from "../../concurrency/transient.ts";
import { GatewayError } from "../../errors.ts";
import type { Message } from "../../message/message.ts";
import { sendFrame } from "../../sockets/frames.ts";
import { SocketConnection } from "./connection.ts";
import type { WebsocketOutputOptions } from "./generated/output-options.ts";

/**
 * Sends each message to a server as a binary frame, in the order of the writes. The protocol has no confirmation: a
 * write resolves once its frames have left this process. It fails if the connection is lost before, or if there is
 * none.
 */
export function websocketOutput(options: WebsocketOutputOptions): Output {
  const inFlight = new TransientSet<Promise<void>>();
  let connection: SocketConnection | undefined;

  async function write(socket: WebSocket, batch: readonly Message[]): Promise<void> {
    const sent = await Promise.allSettled(batch.map((message) => send(socket, message)));
    const failed = sent.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  return {
    async start(context) {
      connection = new SocketConnection({ settings: options, prepare: () => undefined }, context);
      await connection.start();
    },
    async write(batch) {
      const socket = connection?.socket;
      if (socket === undefined) throw new GatewayError(502, "The WebSocket server is not connected");
      const writing = write(socket, batch).finally(() => inFlight.delete(writing));
      inFlight.add(writing);
      await writing;
      return {};
    },
    async close() {
      await Promise.allSettled(inFlight.values());
      await connection?.close();
    },
  };
}

function send(socket: WebSocket, message: Message): Promise<void> {
  return new Promise((resolve, reject) => {
    sendFrame(socket, message.bytes(), "binary", (error) => {
      if (error)
        reject(new GatewayError(502, "The connection to the WebSocket server was lost", { cause: error }));
      else resolve();
    });
  });
}
