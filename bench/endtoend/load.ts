// Requests over connections that are kept alive, each sent when the one before was answered.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What keeps a side at work. */
export interface Load {
  /** Has the side do `count` messages; gives the milliseconds that each took, sorted, as far as they are known. */
  send(count: number): Promise<Float64Array>;
  /** Messages that `send` makes of `count`, where it cannot do exactly as many. */
  actual?(count: number): number;
  close(): Promise<void>;
}

/** A closed loop of requests to one server. */
export class RequestLoad implements Load {
  readonly #sockets: readonly Socket[];
  readonly #requests: readonly Buffer[];
  #next = 0;

  private constructor(sockets: readonly Socket[], requests: readonly Buffer[]) {
    this.#sockets = sockets;
    this.#requests = requests;
  }

  /** Opens `connections` connections to the server; `requests` are sent in turn. */
  static async open(address: URL, requests: readonly Buffer[], connections: number): Promise<RequestLoad> {
    const sockets = Array.from({ length: connections }, () =>
      connect(Number(address.port), address.hostname).setNoDelay(true),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new RequestLoad(sockets, requests);
  }

  /** Sends `count` requests and gives the milliseconds that each took, sorted; throws where one is not answered with 200. */
  async send(count: number): Promise<Float64Array> {
    const times = new Float64Array(count);
    let left = count;
    let answered = 0;
    await Promise.all(
      this.#sockets.map(
        (socket) =>
          new Promise<void>((resolve, reject) => {
            let began = 0;
            const step = () => {
              if (left === 0) return finish();
              left -= 1;
              began = performance.now();
              socket.write(this.#request());
            };
            const receive = (answer: Buffer) => {
              times[answered] = performance.now() - began;
              answered += 1;
              if (answer.toString("latin1", 0, 13) === "HTTP/1.1 200 ") step();
              else finish(new Error(String(answer)));
            };
            const close = () => finish(new Error("the server has closed the connection"));
            const finish = (error?: Error) => {
              socket.off("data", receive).off("close", close);
              if (error === undefined) resolve();
              else reject(error);
            };
            socket.on("data", receive).on("close", close);
            step();
          }),
      ),
    );
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
