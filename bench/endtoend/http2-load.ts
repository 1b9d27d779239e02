// Sends requests over HTTP/2 with TLS: several on each connection at the same time.

import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import type { Load } from "./load.ts";

const connections = 8;

/** Requests at the same time on each connection. */
const streams = 8;

/** Posts orders to `/in`. */
export class Http2Load implements Load {
  readonly #address: URL;
  readonly #orders: readonly Uint8Array[];
  #sessions: readonly ClientHttp2Session[] = [];
  #next = 0;

  private constructor(address: URL, orders: readonly Uint8Array[]) {
    this.#address = address;
    this.#orders = orders;
  }

  /** Opens the connections. `orders` are sent in turn. */
  static async open(address: URL, orders: readonly Uint8Array[]): Promise<Http2Load> {
    const load = new Http2Load(address, orders);
    await load.#connect();
    return load;
  }

  /** Sends `count` requests. Returns the latencies in milliseconds, sorted. Throws if a status is not 200. */
  async send(count: number): Promise<Float64Array> {
    await this.#connect();
    const times = new Float64Array(count);
    let sent = 0;
    const sendAll = async (session: ClientHttp2Session) => {
      while (sent < count) {
        const index = sent;
        sent += 1;
        const began = performance.now();
        await this.#post(session);
        times[index] = performance.now() - began;
      }
    };
    await Promise.all(
      this.#sessions.flatMap((session) => Array.from({ length: streams }, () => sendAll(session))),
    );
    return times.sort();
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
  }

  /** A server may have closed connections that were idle while other programs were measured. */
  async #connect(): Promise<void> {
    const open = this.#sessions.filter(({ closed, destroyed }) => !closed && !destroyed);
    const missing = Array.from({ length: connections - open.length }, async () => {
      // Its certificate is made for the measurement.
      const session = connect(this.#address, { rejectUnauthorized: false });
      await once(session, "connect");
      return session;
    });
    this.#sessions = [...open, ...(await Promise.all(missing))];
  }

  #post(session: ClientHttp2Session): Promise<void> {
    const order = this.#orders[this.#next] ?? new Uint8Array();
    this.#next = (this.#next + 1) % this.#orders.length;
    const stream = session.request({
      ":method": "POST",
      ":path": "/in",
      "content-type": "application/json",
      "content-length": order.length,
    });
    return new Promise((resolve, reject) => {
      let status: number | undefined;
      stream.on("response", (headers) => {
        status = headers[":status"];
      });
      stream.on("error", reject);
      stream.on("close", () =>
        status === 200 ? resolve() : reject(new Error(`a request got the status ${status}`)),
      );
      stream.resume();
      stream.end(order);
    });
  }
}
