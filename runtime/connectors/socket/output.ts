import { createSocket, type Socket as Datagrams } from "node:dgram";
import { connect, isIPv6, type Socket } from "node:net";
import type { Output } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import { endOfMessage } from "../../message/lines.ts";
import { hostAndPort, placeOf } from "./address.ts";
import { type SocketOutputOptions, socketOutputDefaults } from "./generated/output-options.ts";

/** Sends bytes over a socket. */
interface Sender {
  send(bytes: Uint8Array): Promise<void>;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

/**
 * Sends messages over a raw socket, each followed by its delimiter. A write resolves once the system has accepted the
 * messages: servers of raw sockets confirm nothing. The next write reopens a lost connection.
 */
export function socketOutput(options: SocketOutputOptions): Output {
  const { network, address, codec } = { ...socketOutputDefaults, ...options };
  const ending = Buffer.from(endOfMessage(codec));
  const open = network === "udp" ? () => openDatagrams(address) : () => openStream(network, address);
  let sender: Sender | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function send(parts: readonly Uint8Array[]): Promise<void> {
    if (sender === undefined || sender.isClosed) sender = await open();
    for (const part of parts) await sender.send(part);
  }

  return {
    async start() {
      sender = await open();
    },
    async write(batch) {
      const framed = batch.map((message) => Buffer.concat([message.bytes(), ending]));
      // A datagram holds exactly one message.
      const sent = last.then(() => send(network === "udp" ? framed : [Buffer.concat(framed)]));
      last = sent.catch(() => undefined); // the failure is reported to the writer; the next write has its own turn
      await sent;
      return {};
    },
    async close() {
      await last;
      await sender?.close();
      sender = undefined;
    },
  };
}

async function openStream(network: string, address: string): Promise<Sender> {
  const socket: Socket = connect(placeOf(network, address));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error) => reject(failed(error)));
  });
  socket.on("error", () => socket.destroy()); // the next write fails, and reconnects
  socket.resume(); // data of the server is ignored, but has to be read to notice the end
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(failed(error)) : resolve()));
      }),
    get isClosed() {
      return socket.destroyed || !socket.writable;
    },
    close: () =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.once("close", () => resolve());
        socket.destroySoon();
      }),
  };
}

async function openDatagrams(address: string): Promise<Sender> {
  const { host, port } = hostAndPort(address);
  const socket: Datagrams = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let isClosed = false;
  const close = () =>
    new Promise<void>((resolve) => {
      if (isClosed) return resolve();
      isClosed = true;
      socket.close(() => resolve());
    });
  socket.on("error", () => void close());
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.send(bytes, port, host === "" ? undefined : host, (error) =>
          error === null ? resolve() : reject(failed(error)),
        );
      }),
    get isClosed() {
      return isClosed;
    },
    close,
  };
}

function failed(error: Error): GatewayError {
  return new GatewayError(502, "The socket cannot be written to", { cause: error });
}
