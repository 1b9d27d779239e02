import type { Socket } from "node:net";
import { GatewayError, type Output, type Text, textOf } from "sluice/component";
import { connect, write } from "./socket.ts";

/** What a document configures. */
export interface LineSocketOutputOptions {
  readonly address: string;
  readonly prefix: Text;
}

/** Writes each message as a line; a write resolves once the system has taken all lines of its batch. */
export function lineSocketOutput({ address, prefix }: LineSocketOutputOptions): Output {
  let socket: Socket | undefined;
  let signal: AbortSignal | undefined;
  let connecting: Promise<Socket> | undefined;

  /** The open connection, or a new one where it was lost. */
  function connected(): Promise<Socket> {
    if (signal === undefined) throw new GatewayError(503, "Line socket: not connected");
    if (socket?.writable === true) return Promise.resolve(socket);
    connecting ??= connect(address, signal)
      .then((opened) => {
        socket = opened;
        return opened;
      })
      .finally(() => {
        connecting = undefined;
      });
    return connecting;
  }

  return {
    async start(context) {
      signal = context.signal;
      await connected();
    },
    async write(batch) {
      const open = await connected();
      const lines = batch.map((message, index) => {
        const content = Buffer.from(message.bytes()).toString("utf8");
        return `${textOf(prefix, batch, index)}${content.replaceAll(/\r?\n/g, " ")}\n`;
      });
      await write(open, lines.join(""));
      return {};
    },
    async close() {
      signal = undefined;
      socket?.end();
      socket = undefined;
    },
  };
}
