// Holds the messages of one connection to the rates of its session and its API.

import type { WebSocket } from "ws";
import type { MessageGates } from "../component/message-gates.ts";
import { GatewayError } from "../errors.ts";
import type { MessageLimits } from "../keys/session.ts";
import { closeSocket } from "../sockets/frames.ts";
import type { Clock } from "./memory-counters.ts";
import { createPace, createQueue, type Pace, paceClients } from "./pace.ts";

/**
 * The gates of one connection by all of `limits`; `undefined` where none of them says anything. Where one says that who
 * sends too fast is closed, that is what happens; else its messages wait, and its socket is read when they have gone on.
 */
export function createMessageGates(limits: readonly MessageLimits[], clock: Clock): MessageGates | undefined {
  const incoming = createPace(
    limits.flatMap(({ fromClient }) => fromClient ?? []),
    clock,
  );
  const outgoing = createPace(
    limits.flatMap(({ toClient }) => toClient ?? []),
    clock,
  );
  if (incoming === undefined && outgoing === undefined) return undefined;
  const toClient = outgoing === undefined ? passing : paceClients(outgoing);
  if (incoming === undefined) return { watch() {}, async fromClient() {}, toClient };
  const closes = limits.some(({ fromClient, whenExceeded }) => fromClient && whenExceeded === "close");
  return closes
    ? { ...closing(incoming), toClient }
    : { watch() {}, fromClient: createQueue(incoming), toClient };
}

type Incoming = Pick<MessageGates, "watch" | "fromClient">;

/** Closes a socket with the first message that is too much, also where nobody reads what it sends. */
function closing(pace: Pace): Incoming {
  let isExceeded = false;
  return {
    watch(socket: WebSocket) {
      socket.on("message", () => {
        if (isExceeded) return;
        isExceeded = pace.wait() > 0;
        pace.count();
        if (isExceeded) closeSocket(socket, 1008, "too many messages");
      });
    },
    async fromClient() {
      if (isExceeded) throw new GatewayError(429, "Too many messages");
    },
  };
}

function passing<J>(join: J): J {
  return join;
}
