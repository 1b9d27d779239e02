// The upstream of a program: a server in the process of the load generator.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createOrders } from "../orders.ts";
import type { Load } from "./load.ts";

/** Maximum milliseconds for a program to send its requests; not a measurement. */
const patience = 120_000;

/** A program that polls for orders at its own path. */
interface Poller {
  /** Number of responses left in the current round. */
  left: number;
  /** Requests that wait for the next round. */
  waiting: ServerResponse[];
  /** Called when no responses are left. */
  onDone: () => void;
}

/**
 * Responds to `GET /orders/NAME` with an order during the rounds of that program, and to all other requests without a
 * body.
 */
export class Upstream {
  readonly #pollers = new Map<string, Poller>();
  readonly #orders = createOrders(false);
  #next = 0;
  readonly #server = createServer((request, response) => {
    const [, name] = /^\/orders\/(.+)$/.exec(request.url ?? "") ?? [];
    if (name === undefined) response.writeHead(200, { "content-length": "0" }).end();
    else this.#offer(this.#pollerOf(name), response);
  });

  /** Starts listening and returns the address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo; // a listening TCP server has this type of address
    return `http://127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * Returns the load for a program that polls `/orders/NAME`: it gets the number of responses, then waits for the
   * next round.
   */
  loadOf(name: string): Load {
    const poller = this.#pollerOf(name);
    return {
      send: (count) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`${poller.left} orders were not asked for`)),
            patience,
          );
          poller.left = count;
          poller.onDone = () => {
            clearTimeout(timer);
            resolve(new Float64Array());
          };
          for (const response of poller.waiting.splice(0)) this.#offer(poller, response);
        }),
      close: async () => undefined,
    };
  }

  #pollerOf(name: string): Poller {
    const poller = this.#pollers.get(name) ?? { left: 0, waiting: [], onDone: () => undefined };
    this.#pollers.set(name, poller);
    return poller;
  }

  #offer(poller: Poller, response: ServerResponse): void {
    if (poller.left === 0) {
      poller.waiting.push(response);
      return;
    }
    poller.left -= 1;
    this.#next = (this.#next + 1) % this.#orders.length;
    const order = this.#orders[this.#next] ?? Buffer.alloc(0);
    response
      .writeHead(200, { "content-type": "application/json", "content-length": order.length })
      .end(order);
    if (poller.left === 0) poller.onDone();
  }
}
