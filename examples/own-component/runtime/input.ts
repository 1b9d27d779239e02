import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import {
  createBackoff,
  createRedelivery,
  type Input,
  type InputContext,
  Message,
  pause,
} from "sluice/component";
import { connect, write } from "./socket.ts";

/** What a document configures; the gateway fills in defaults, and gives durations in milliseconds. */
export interface LineSocketInputOptions {
  readonly address: string;
  readonly acknowledge: string;
  readonly reconnect_after: number;
}

/** Reads lines one by one: the next is read once the one before it is delivered, so that back-pressure reaches the other side. */
export function lineSocketInput(options: LineSocketInputOptions): Input {
  const closing = new AbortController();
  let reading: Promise<void> | undefined;
  return {
    async start(context) {
      const socket = await connect(options.address, context.signal);
      reading = readAlways(socket, options, context, closing.signal);
    },
    async close() {
      closing.abort();
      await reading;
    },
  };
}

/** Reads until the input closes; connects again, with growing pauses, whenever the connection is lost. */
async function readAlways(
  first: Socket,
  options: LineSocketInputOptions,
  context: InputContext,
  closing: AbortSignal,
): Promise<void> {
  let socket: Socket | undefined = first;
  while (!closing.aborted) {
    if (socket !== undefined) await readLines(socket, options, context, closing);
    socket = closing.aborted ? undefined : await reconnect(options, context, closing);
  }
}

async function readLines(
  socket: Socket,
  { acknowledge }: LineSocketInputOptions,
  context: InputContext,
  closing: AbortSignal,
): Promise<void> {
  const end = () => socket.end();
  closing.addEventListener("abort", end, { once: true });
  const redelivery = createRedelivery(context);
  let number = 0;
  try {
    for await (const line of createInterface({ input: socket })) {
      if (closing.aborted) break;
      number += 1;
      const message = Message.fromText(line, new Map([["line_socket_number", number]]));
      const delivered = await redelivery.deliver([message], closing);
      if (delivered === undefined) break;
      if (acknowledge !== "") await write(socket, `${acknowledge}\n`);
    }
  } catch (error) {
    context.log.warn("the connection of a line socket was lost", { error: String(error) });
  } finally {
    closing.removeEventListener("abort", end);
    socket.end();
  }
}

async function reconnect(
  { address, reconnect_after }: LineSocketInputOptions,
  context: InputContext,
  closing: AbortSignal,
): Promise<Socket | undefined> {
  const backoff = createBackoff({ first: Math.min(100, reconnect_after), longest: reconnect_after });
  const endOutage = context.beginOutage?.("Line socket: connection lost");
  try {
    while (!closing.aborted) {
      await pause(backoff.next(), closing);
      const socket = closing.aborted ? undefined : await connect(address, closing).catch(() => undefined);
      if (socket !== undefined) return socket;
    }
    return undefined;
  } finally {
    endOutage?.();
  }
}
