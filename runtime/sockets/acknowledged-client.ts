// A WebSocket whose client acknowledges each message: the gateway sends `{"id", "data"}`, the client responds with
// `{"ack": id}` or `{"nack": id}`.

import { isUtf8 } from "node:buffer";
import type { WebSocket } from "ws";
import { StallGuard } from "../clients/stall-guard.ts";
import type { Clients } from "../component/clients.ts";
import type { Receipt } from "../component/message-gates.ts";
import type { Message } from "../message/message.ts";
import { asBuffer } from "../text/utf8.ts";
import { closeSocket, cutSocket, endSocket } from "./frames.ts";

export interface AcknowledgedClientOptions {
  /** Milliseconds that a client has to respond; after that, another client gets the message. */
  readonly ackTimeout: number;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly writeWait: number;
}

/** The most unacknowledged messages of one client; beyond that, the next clients in rotation get them. */
const maxUnanswered = 64;

interface Unanswered {
  readonly receipt: Receipt;
  readonly timer: NodeJS.Timeout;
}

/**
 * Adds the socket to `clients` until it closes. A message counts as delivered when the client acknowledges it.
 * Messages that the client refuses, or has not acknowledged in time or when it leaves, go to another client.
 */
export function joinAcknowledged(
  clients: Pick<Clients, "join">,
  socket: WebSocket,
  options: AcknowledgedClientOptions,
): void {
  const { ackTimeout, writeWait } = options;
  const guard = new StallGuard(writeWait, socket, cutSocket);
  const unanswered = new Map<string, Unanswered>();
  let lastId = 0;

  function settle(id: string, outcome: "confirm" | "giveBack"): void {
    const message = unanswered.get(id);
    if (message === undefined) return; // a repeated answer, or one that came too late
    clearTimeout(message.timer);
    unanswered.delete(id);
    message.receipt[outcome]();
    membership.ready();
  }

  const membership = clients.join({
    isReady: () => socket.readyState === socket.OPEN && unanswered.size < maxUnanswered,
    send(message, receipt) {
      lastId += 1;
      const id = String(lastId);
      const timer = setTimeout(() => settle(id, "giveBack"), ackTimeout);
      unanswered.set(id, { receipt, timer });
      guard.began();
      socket.send(frameOf(id, message), { binary: false }, (error) => {
        guard.ended();
        if (error) socket.terminate();
      });
    },
    end: (isReplaced) => endSocket(socket, isReplaced),
  });
  socket.on("message", (data: Buffer) => {
    const answer = readAnswer(data);
    if (answer === undefined) closeSocket(socket, 1008, 'expected {"ack": id} or {"nack": id}');
    else settle(answer.id, answer.outcome);
  });
  socket.once("close", () => {
    guard.stop();
    for (const { timer } of unanswered.values()) clearTimeout(timer);
    unanswered.clear();
    membership.leave();
  });
}

/** Returns the frame. `data` is a JSON document, a text, or base64 with `encoding` if the message is not text. */
function frameOf(id: string, message: Message): Buffer {
  const bytes = message.bytes();
  const head = `{"id":"${id}",`;
  if (message.document() !== undefined) {
    return Buffer.concat([Buffer.from(`${head}"data":`), bytes, Buffer.from("}")]);
  }
  const content = asBuffer(bytes);
  if (isUtf8(bytes)) return Buffer.from(`${head}"data":${JSON.stringify(content.toString("utf8"))}}`);
  return Buffer.from(`${head}"encoding":"base64","data":"${content.toString("base64")}"}`);
}

/** Parses the response of a client to a message; `undefined` if it is something else. */
function readAnswer(
  data: Buffer,
): { readonly id: string; readonly outcome: "confirm" | "giveBack" } | undefined {
  let said: unknown;
  try {
    said = JSON.parse(data.toString("utf8"));
  } catch {
    return undefined; // not JSON, so not an answer
  }
  if (typeof said !== "object" || said === null) return undefined;
  if ("ack" in said && isId(said.ack)) return { id: String(said.ack), outcome: "confirm" };
  if ("nack" in said && isId(said.nack)) return { id: String(said.nack), outcome: "giveBack" };
  return undefined;
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
