import { createSocket } from "node:dgram";
import { createServer, isIPv6, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Input, InputContext } from "../../../component/component.ts";
import { createRedelivery, type Redelivery, withReplay } from "../../../component/redelivery.ts";
import type { Scanner } from "../../../component/scanner.ts";
import { abort } from "../../../concurrency/abort.ts";
import { GatewayError } from "../../../errors.ts";
import { readMachineFile } from "../../../process/machine-files.ts";
import { linesScanner } from "../../../scanners/lines.ts";
import { hostAndPort, placeOf } from "../address.ts";
import { type SocketServerInputOptions, socketServerInputDefaults } from "./generated/input-options.ts";

/** Largest number of connections; further ones are refused. */
const connectionsLimit = 1024;

/** Largest total size of incomplete messages of all connections, in bytes. */
const heldLimit = 256 * 1024 * 1024;

/**
 * Reads the messages that clients send over raw sockets. Each connection is read in order, the next message once the
 * previous one is confirmed. Clients receive no confirmation: messages in progress are lost when the process ends.
 */
export function socketServerInput(options: SocketServerInputOptions): Input {
  const { auto_replay_nacks } = { ...socketServerInputDefaults, ...options };
  const scanner = options.scanner ?? linesScanner();
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  const reading = new Set<Promise<void>>();
  const held = { bytes: 0 };
  let stop: (() => Promise<void>) | undefined;

  function accept(socket: Socket, context: InputContext, redelivery: Redelivery): void {
    sockets.add(socket);
    socket.on("error", (error) => context.log.debug("a connection failed", { error: String(error) }));
    const work = readAll({ scanner, source: socket, held, redelivery, end: closing.signal })
      .catch((error: unknown) => {
        if (!closing.signal.aborted) context.log.warn("a connection is dropped", { error });
      })
      .finally(() => {
        socket.destroy();
        sockets.delete(socket);
        reading.delete(work);
      });
    reading.add(work);
  }

  return {
    async start(given) {
      const context = withReplay(given, auto_replay_nacks);
      const redelivery = createRedelivery(context);
      if (options.network === "udp") {
        stop = await receiveDatagrams(options.address, context, (datagram) =>
          readAll({ scanner, source: [datagram], held, redelivery, end: closing.signal }),
        );
        return;
      }
      const take = (socket: Socket) => accept(socket, context, redelivery);
      const server = options.network === "tls" ? await tlsServer(options, take) : createServer(take);
      server.maxConnections = connectionsLimit;
      await listen(server, placeOf(options.network, options.address));
      server.on("error", (error) => context.log.warn("connections cannot be accepted", { error }));
      context.log.info("listening for sockets", { address: options.address });
      stop = () => new Promise((resolve) => server.close(() => resolve()));
    },
    async close() {
      abort(closing);
      const stopped = stop?.();
      for (const socket of sockets) socket.destroy();
      await Promise.all([stopped, ...reading]);
    },
  };
}

/** One source and the destination of its messages. */
interface SourceReading {
  readonly scanner: Scanner;
  readonly source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly held: { bytes: number };
  readonly redelivery: Redelivery;
  readonly end: AbortSignal;
}

async function readAll({ scanner, source, held, redelivery, end }: SourceReading): Promise<void> {
  let mine = 0;
  const keep = async (bytes: number) => {
    held.bytes += bytes - mine;
    mine = bytes;
    if (held.bytes > heldLimit) throw new GatewayError(503, "Too many bytes are buffered for connections");
  };
  try {
    for await (const message of scanner.scan({ bytes: chunksOf(source), name: "", keep })) {
      await redelivery.deliverNext([message], end);
      if (end.aborted) return;
    }
  } finally {
    held.bytes -= mine;
  }
}

async function* chunksOf(source: SourceReading["source"]): AsyncGenerator<Uint8Array> {
  yield* source;
}

async function tlsServer(
  { tls = {} }: SocketServerInputOptions,
  take: (socket: Socket) => void,
): Promise<Server> {
  const { cert_file = "", key_file = "" } = tls;
  try {
    return createTlsServer({ cert: readMachineFile(cert_file), key: readMachineFile(key_file) }, take);
  } catch (error) {
    throw new GatewayError(500, "The certificate of the socket server cannot be read", { cause: error });
  }
}

function listen(server: Server, place: ReturnType<typeof placeOf>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new GatewayError(500, "The address cannot be listened on", { cause: error }));
    server.once("error", fail);
    server.listen(place, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

/** Largest total size of waiting datagrams, in bytes. UDP has no flow control; further datagrams are dropped. */
const waitingLimit = 64 * 1024 * 1024;

/** Receives datagrams, one after the other, until the returned function is called. */
async function receiveDatagrams(
  address: string,
  context: InputContext,
  take: (datagram: Uint8Array) => Promise<void>,
): Promise<() => Promise<void>> {
  const { host, port } = hostAndPort(address);
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let last = Promise.resolve();
  let waiting = 0;
  let dropped = 0;
  socket.on("message", (datagram) => {
    if (waiting + datagram.length > waitingLimit) {
      dropped += 1;
      return;
    }
    waiting += datagram.length;
    last = last
      .then(() => take(datagram))
      .catch((error: unknown) => context.log.warn("a datagram cannot be read", { error }))
      .finally(() => {
        waiting -= datagram.length;
        if (dropped > 0)
          context.log.warn("the stream is too slow, datagrams are dropped", { count: dropped });
        dropped = 0;
      });
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new GatewayError(500, "The address cannot be listened on", { cause: error }));
    socket.once("error", fail);
    socket.bind({ port, ...(host !== "" && { address: host }) }, () => {
      socket.off("error", fail);
      resolve();
    });
  });
  socket.on("error", (error) => context.log.warn("datagrams cannot be received", { error }));
  return async () => {
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    await last;
  };
}
