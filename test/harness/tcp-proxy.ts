import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A proxy between a client and a server that simulates network faults. */
export interface TcpProxy {
  /** The port for clients, on 127.0.0.1. */
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: number;
  /** Resets every connection without closing it in order. */
  reset(): void;
  /** Stops forwarding on the present connections, which stay open; new connections are not affected. */
  freeze(): void;
  /** Stops forwarding on present and new connections until `release`, like a server that hangs. */
  hold(): void;
  /** Forwards what clients send but no response, on the present connections: the server's work stays unseen. */
  mute(): void;
  /** Replaces each chunk from servers with the result of `change`, on the present connections, until `release`. */
  garble(change: (bytes: Buffer) => Buffer): void;
  /** Delays each chunk by `milliseconds`, in both directions, on present and new connections, until `release`. */
  slow(milliseconds: number): void;
  /** Calls `listener` with the bytes that clients send, and the number of their connection. */
  onSent(listener: (bytes: Buffer, connection: number) => void): void;
  /** Forwards again, including everything that waited. */
  release(): void;
  /** Ends every connection and accepts no more. */
  close(): Promise<void>;
}

/** Starts a proxy in front of a server on this machine, on a free port unless one is given. */
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
      from.on("error", () => undefined); // the `close` event that follows handles it
      from.on("close", (hasFailed) => {
        if (to.destroyed) pairs.delete(pair);
        // After an orderly end, the other side still receives everything that was sent before.
        else if (hasFailed) to.destroy();
        else to.end().resume();
      });
    }
    client.on("data", (bytes: Buffer) => {
      for (const listener of listeners) listener(bytes, connection);
    });
    client.pause(); // until `join`
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

/** Delays chunks one at a time: the next chunk starts to wait when the previous one has passed. */
function late(delay: number): Transform {
  return new Transform({
    transform(chunk, _, done) {
      setTimeout(done, delay, undefined, chunk);
    },
  });
}

function part(pair: Pair): void {
  for (const socket of pair) socket.unpipe().pause();
  pair[1].removeAllListeners("data"); // removes the listeners of `garble`; `unpipe` removed those of pipes
}
