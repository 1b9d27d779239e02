// The contract that every input and output keeps, on real sockets.

import { createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import {
  type ContractCase,
  type InputUnderTest,
  inputContract,
  type OutputUnderTest,
  outputContract,
} from "sluice/component/contract";
import { lineSocketInput } from "../runtime/input.ts";
import { lineSocketOutput } from "../runtime/output.ts";

/** The other side of a line socket. */
class Peer {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  readonly #waiting: string[] = [];
  readonly #received: string[] = [];
  #changed = Promise.withResolvers<void>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      for (const line of this.#waiting.splice(0)) socket.write(line);
      socket.setEncoding("utf8");
      let rest = "";
      socket.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        this.#received.push(...lines);
        this.#change();
      });
      socket.on("error", () => socket.destroy());
    });
  }

  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = this.#server.address();
    return `tcp://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
  }

  /** Sends a line, at once or to whoever connects first. */
  send(text: string): void {
    const [socket] = this.#sockets;
    if (socket === undefined) this.#waiting.push(`${text}\n`);
    else socket.write(`${text}\n`);
  }

  async received(count: number): Promise<readonly string[]> {
    while (this.#received.length < count) await this.#changed.promise;
    return this.#received;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** A port that nothing listens on. */
const closed = "tcp://127.0.0.1:1";
const peers = new WeakMap<object, Peer>();

function run(cases: readonly ContractCase[]): void {
  for (const each of cases) test(each.name, { timeout: 20_000 }, each.run);
}

run(
  inputContract(
    async (): Promise<InputUnderTest> => {
      const peer = new Peer();
      const address = await peer.listen();
      const options = { acknowledge: "ok", reconnect_after: 100 };
      let sent = 0;
      const under: InputUnderTest = {
        create: () => lineSocketInput({ address, ...options }),
        async send(text) {
          sent += 1;
          peer.send(text);
        },
        async acknowledged() {
          await peer.received(sent);
        },
        unreachable: () => lineSocketInput({ address: closed, ...options }),
      };
      peers.set(under, peer);
      return under;
    },
    async (under) => peers.get(under)?.close(),
  ),
);

run(
  outputContract(
    async (): Promise<OutputUnderTest> => {
      const peer = new Peer();
      const address = await peer.listen();
      const under: OutputUnderTest = {
        create: () => lineSocketOutput({ address, prefix: "" }),
        received: (count) => peer.received(count),
        unreachable: () => lineSocketOutput({ address: closed, prefix: "" }),
      };
      peers.set(under, peer);
      return under;
    },
    async (under) => peers.get(under)?.close(),
  ),
);
