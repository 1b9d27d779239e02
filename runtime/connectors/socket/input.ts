import { connect, type Socket } from "node:net";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { placeOf } from "./address.ts";
import { type SocketInputOptions, socketInputDefaults } from "./generated/input-options.ts";

const pauses = { first: 500, longest: 30_000 };

/**
 * Reads the messages that a server sends over a raw socket, each once the previous one is confirmed. The server
 * cannot repeat messages: those in progress are lost when the connection or the process ends. A lost connection is
 * opened again.
 */
export function socketInput(options: SocketInputOptions): Input {
  const { auto_replay_nacks } = { ...socketInputDefaults, ...options };
  const place = placeOf(options.network, options.address);
  const scanner = options.scanner ?? linesScanner();
  const closing = new AbortController();
  let current: Socket | undefined;
  let running: Promise<void> | undefined;

  async function open(): Promise<Socket> {
    const socket = connect(place);
    current = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) =>
        reject(new GatewayError(502, "The socket cannot be connected", { cause: error })),
      );
    });
    return socket;
  }

  async function read(socket: Socket, context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context);
    for await (const message of scanner.scan({ bytes: socket, name: "" })) {
      await redelivery.deliverNext([message], closing.signal);
      if (closing.signal.aborted) return;
    }
  }

  async function run(first: Socket, context: InputContext): Promise<void> {
    const backoff = createBackoff(pauses);
    let socket: Socket | undefined = first;
    let endOutage: (() => void) | undefined;
    while (!closing.signal.aborted) {
      try {
        socket ??= await open();
        endOutage?.();
        endOutage = undefined;
        await read(socket, context);
        backoff.reset();
      } catch (error) {
        if (!closing.signal.aborted) context.log.warn("the socket cannot be read", { error });
      }
      socket?.destroy();
      socket = undefined;
      if (closing.signal.aborted) break;
      endOutage ??= context.beginOutage?.("the connection of the socket is lost");
      await pause(backoff.next(), closing.signal);
    }
    endOutage?.();
  }

  return {
    async start(given) {
      const context = withReplay(given, auto_replay_nacks);
      running = run(await open(), context);
    },
    async close() {
      abort(closing);
      current?.destroy();
      await running;
    },
  };
}
