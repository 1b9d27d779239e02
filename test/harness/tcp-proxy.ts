import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** Stands between a client and a server, to do to their connections what networks do. */
export interface TcpProxy {
  /** Where clients connect, on 127.0.0.1. */
  readonly port: number;
  /** How many connections were made so far. */
  readonly connections: number;
  /** Ends every connection with a reset, without a word of farewell. */
  reset(): void;
  /** From now on nothing passes through the present connections, which stay open; new ones are not affected. */
  freeze(): void;
  /** Passes nothing on until `release`, through new connections neither: a server that hangs. */
  hold(): void;
  /** Passes on what clients send, but no answer, through the present connections: the server does what nobody learns. */
  mute(): void;
  /** Passes on what `change` makes of each piece that servers send, through the present connections, until `release`. */
  garble(change: (bytes: Buffer) => Buffer): void;
  /** Passes everything on so many milliseconds late, each way and through new connections too, until `release`. */
  slow(milliseconds: number): void;
  /** Calls `listener` with what clients send, and the number of their connection. */
  onSent(listener: (bytes: Buffer, connection: number) => void): void;
  /** Passes on again, also what waited. */
  release(): void;
  /** Ends every connection and takes no more. */
  close(): Promise<void>;
}

/** A proxy in front of a server on this machine, on a free port unless one is given. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let connections = 0;
  let held = false;
  let delay = 0;
  const listeners: ((bytes: Buffer, connection: number) => void)[] = [];
  const server = createServer((client) => {
    connections += 1;
    const connection = connections;
    const upstream = connect(target, "127.0.0.1");
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()] as readonly (readonly [Socket, Socket])[]) {
      from.on("error", () => undefined); // the close that follows is what matters
      from.on("close", (hasFailed) => {
        if (to.destroyed) pairs.delete(pair);
        // Whoever ends a connection in peace has the other side told everything it said before.
        else if (hasFailed) to.destroy();
        else to.end().resume();
      });
    }
    client.on("data", (bytes: Buffer) => {
      for (const listener of listeners) listener(bytes, connection);
    });
    client.pause(); // until it is joined
    if (!held) join(pair, delay);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has this kind of address
    get connections() {
      return connections;
    },
    reset() {
      for (const [client, upstream] of pairs) {
        upstream.destroy();
        client.resetAndDestroy();
      }
    },
    freeze() {
      for (const pair of pairs) part(pair);
    },
    hold() {
      held = true;
      for (const pair of pairs) part(pair);
    },
    mute() {
      for (const [client, upstream] of pairs) upstream.unpipe(client).pause();
    },
    garble(change) {
      for (const [client, upstream] of pairs) {
        upstream.unpipe(client);
        upstream.on("data", (bytes: Buffer) => client.write(change(bytes)));
      }
    },
    slow(milliseconds) {
      delay = milliseconds;
      for (const pair of pairs) {
        part(pair);
        join(pair, delay);
      }
    },
    onSent(listener) {
      listeners.push(listener);
    },
    release() {
      held = false;
      delay = 0;
      for (const pair of pairs) {
        part(pair);
        join(pair, delay);
      }
    },
    async close() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await once(server, "close");
    },
  };
}

type Pair = readonly [client: Socket, upstream: Socket];

function join([client, upstream]: Pair, delay: number): void {
  if (delay === 0) {
    client.pipe(upstream);
    upstream.pipe(client);
  } else {
    client.pipe(late(delay)).pipe(upstream);
    upstream.pipe(late(delay)).pipe(client);
  }
}

/** Each chunk by itself, as an answer that waits for a question is one of its own. */
function late(delay: number): Transform {
  return new Transform({
    transform(chunk, _, done) {
      setTimeout(done, delay, undefined, chunk);
    },
  });
}

function part(pair: Pair): void {
  for (const socket of pair) socket.unpipe().pause();
  pair[1].removeAllListeners("data"); // of `garble`: those of pipes have gone
}
