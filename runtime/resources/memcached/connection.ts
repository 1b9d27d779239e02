// A connection to memcached: sends commands in its text protocol (memcached/doc/protocol.txt), answered in order.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { GatewayError } from "../../errors.ts";
import type { MemcachedServer } from "./addresses.ts";
import { AnswerReader, type MemcachedAnswer } from "./answers.ts";

/** A connection that is opened at the first command. */
export interface MemcachedConnection {
  /** Whether a command would be sent immediately. */
  readonly isReady: boolean;
  /** Opens the connection, unless it is open. Rejects with a `GatewayError`. */
  open(): Promise<void>;
  /** Sends a complete command; rejects with a `GatewayError` if there is no response. */
  ask(command: Uint8Array): Promise<MemcachedAnswer>;
  close(): void;
}

/** Milliseconds until a server that does not respond counts as unavailable. */
const patience = 5_000;

interface Waiting {
  readonly resolve: (answer: MemcachedAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Returns a connection that is not open yet. `onLost` is called when the connection is lost, but not when it is
 * closed.
 */
export function createMemcachedConnection(
  server: MemcachedServer,
  onLost: (reason: unknown) => void,
): MemcachedConnection {
  let ready: Socket | undefined;
  let opening: Promise<void> | undefined;
  let isClosed = false;
  let waiting: Waiting[] = [];

  function lose(socket: Socket, reason: unknown): void {
    socket.destroy();
    if (ready !== socket) return;
    ready = undefined;
    const lost = waiting;
    waiting = [];
    for (const { reject } of lost) reject(unreachable(reason));
    if (!isClosed) onLost(reason);
  }

  /** Passes each response to the oldest command; any other data is an error. */
  function follow(socket: Socket): void {
    const reader = new AnswerReader();
    let reason: unknown;
    socket.on("data", (chunk) => {
      try {
        for (const answer of reader.read(chunk)) {
          const oldest = waiting.shift();
          if (oldest === undefined) throw new Error("memcached sent an unexpected response");
          oldest.resolve(answer);
        }
      } catch (error) {
        lose(socket, error);
      }
      if (waiting.length === 0) socket.setTimeout(0);
    });
    socket.on("timeout", () =>
      lose(socket, new Error(`memcached did not answer within ${patience / 1000} s`)),
    );
    socket.on("error", (error) => {
      reason = error;
    });
    socket.on("close", () => lose(socket, reason ?? new Error("memcached closed the connection")));
  }

  async function connectNow(): Promise<void> {
    const socket = connect({ ...server, noDelay: true, keepAlive: true });
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(patience) });
    } catch (error) {
      socket.destroy();
      throw unreachable(error);
    }
    if (isClosed) {
      socket.destroy();
      throw closed();
    }
    follow(socket);
    ready = socket;
  }

  async function open(): Promise<void> {
    if (isClosed) throw closed();
    if (ready !== undefined) return;
    opening ??= connectNow().finally(() => {
      opening = undefined;
    });
    await opening;
  }

  return {
    get isReady() {
      return ready !== undefined;
    },
    open,
    async ask(command) {
      await open();
      const socket = ready;
      if (socket === undefined) throw unreachable(new Error("memcached closed the connection"));
      const { promise, resolve, reject } = Promise.withResolvers<MemcachedAnswer>();
      waiting.push({ resolve, reject });
      socket.setTimeout(patience);
      socket.write(command);
      return promise;
    },
    close() {
      isClosed = true;
      if (ready !== undefined) lose(ready, closed());
    },
  };
}

function closed(): GatewayError {
  return new GatewayError(503, "The connection to memcached is closed");
}

function unreachable(cause: unknown): GatewayError {
  return new GatewayError(502, "memcached unreachable", { cause, retryable: true });
}
