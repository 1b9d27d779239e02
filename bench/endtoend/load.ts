// Sends requests over keep-alive connections, each after the response to the previous one.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Generates work for a program. */
export interface Load {
  /** Makes the program handle `count` messages. Returns the known latencies in milliseconds, sorted. */
  send(count: number): Promise<Float64Array>;
  /**
   * Like `send`, at a fixed rate, without waiting for responses; absent if the program determines the rate. The
   * latencies lack those of the first tenth of the requests.
   */
  sendAt?(perSecond: number, count: number): Promise<Float64Array>;
  /** Returns the number of messages that `send` sends for `count`, if it cannot send exactly that many. */
  actual?(count: number): number;
  close(): Promise<void>;
}

/** Where the load publishes messages. */
export interface Feed {
  /** Resolves when the broker has all messages, or they have been sent to the program. */
  publish(messages: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** Where the load counts messages. */
export interface Count {
  /** How many times each message arrives; once if absent. */
  readonly copies?: number;
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Returns the number of messages that have arrived. */
  read(): Promise<number>;
  close(): Promise<void>;
}

/**
 * The longest pause between two looks at the responses while no request is due, in milliseconds. Without pauses, the
 * load would take a whole processor, so that the program and its broker would share the other one.
 */
const longestPause = 0.2;

/** A value that does not change: waiting for it is a pause of less than a millisecond. */
const never = new Int32Array(new SharedArrayBuffer(4));

/** Sends requests to one server, at most one at a time on each connection. */
export class RequestLoad implements Load {
  readonly #address: URL;
  readonly #requests: readonly Buffer[];
  #sockets: readonly Socket[];
  #next = 0;

  private constructor(address: URL, sockets: readonly Socket[], requests: readonly Buffer[]) {
    this.#address = address;
    this.#sockets = sockets;
    this.#requests = requests;
  }

  /** Opens `connections` connections to the server. `requests` are sent in turn. */
  static async open(address: URL, requests: readonly Buffer[], connections: number): Promise<RequestLoad> {
    const sockets = Array.from({ length: connections }, () => connectTo(address));
    return new RequestLoad(address, await Promise.all(sockets), requests);
  }

  /** Sends `count` requests. Returns the latencies in milliseconds, sorted. Throws if a status is not 200. */
  send(count: number): Promise<Float64Array> {
    return this.#run(count, 0);
  }

  /**
   * The time a request waits for a connection counts, so that a slow server does not receive fewer requests. The first
   * tenth is not measured: before, other programs had the processor and its caches.
   */
  sendAt(perSecond: number, count: number): Promise<Float64Array> {
    return this.#run(count, 1000 / perSecond, Math.ceil(count / 10));
  }

  /**
   * Each request is due `interval` milliseconds after the previous one; if 0, as soon as a connection is free. The
   * latencies of the first `unmeasured` responses are left out.
   */
  async #run(count: number, interval: number, unmeasured = 0): Promise<Float64Array> {
    // A server may have closed connections that were idle while other programs were measured.
    this.#sockets = await Promise.all(
      this.#sockets.map((socket) => (socket.writable ? socket : connectTo(this.#address))),
    );
    const times = new Float64Array(count - unmeasured);
    const idle = [...this.#sockets];
    const dues = new Map<Socket, number>();
    const began = performance.now();
    let [sent, answered] = [0, 0];
    const { promise: over, resolve, reject } = Promise.withResolvers<void>();
    const sendDue = () => {
      while (sent < count) {
        const now = performance.now();
        const due = interval === 0 ? now : began + sent * interval;
        const socket = due <= now ? idle.pop() : undefined;
        if (socket === undefined) return;
        sent += 1;
        dues.set(socket, due);
        socket.write(this.#request());
      }
    };
    const receive = (socket: Socket, answer: Buffer) => {
      if (answer.toString("latin1", 0, 13) !== "HTTP/1.1 200 ") return reject(new Error(String(answer)));
      if (answered >= unmeasured)
        times[answered - unmeasured] = performance.now() - (dues.get(socket) ?? Number.NaN);
      answered += 1;
      idle.push(socket);
      if (answered === count) resolve();
      else sendDue();
    };
    const keepPace = () => {
      sendDue();
      if (interval === 0 || sent === count) return;
      const pause = Math.min(began + sent * interval - performance.now(), longestPause);
      // Timers of the event loop have a resolution of a millisecond: requests would come in bursts.
      if (pause > 0) Atomics.wait(never, 0, 0, pause);
      setImmediate(keepPace);
    };
    const receivers = this.#sockets.map((socket) => {
      const take = (answer: Buffer) => receive(socket, answer);
      const close = () => reject(new Error("the server has closed the connection"));
      socket.on("data", take).on("close", close);
      return () => socket.off("data", take).off("close", close);
    });
    keepPace();
    try {
      await over;
    } finally {
      sent = count;
      for (const stop of receivers) stop();
    }
    return times.sort();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
  }

  #request(): Buffer {
    this.#next = (this.#next + 1) % this.#requests.length;
    return this.#requests[this.#next] ?? Buffer.alloc(0);
  }
}

async function connectTo(address: URL): Promise<Socket> {
  const socket = connect(Number(address.port), address.hostname).setNoDelay(true);
  await once(socket, "connect");
  return socket;
}
