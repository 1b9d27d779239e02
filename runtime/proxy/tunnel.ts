// Passes WebSockets through to the upstream: after the handshake, bytes are relayed unchanged in both directions, so
// that frames, pings and closings are exchanged between the two ends.

import { type ClientRequest, type IncomingMessage, request, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { GatewayError } from "../errors.ts";
import type { Call, CallRight, StepResult, Tunnel } from "../http/call.ts";
import { closeFrame, FrameBoundaries } from "../sockets/frames.ts";
import { answerFields, headFault } from "./answer-head.ts";
import { type Forwarding, mayAskAgain, mostAttempts, Relay } from "./forward.ts";
import { requestHead } from "./request-head.ts";
import { openRequest, type ProxyTarget, pathAt } from "./target.ts";

/** The client's end of a socket. */
export interface ClientEnd {
  readonly socket: Duplex;
  /** Bytes that the client has sent after the head of its request. */
  readonly head: Buffer;
}

/** The upstream's response to the handshake. */
type Outcome =
  | {
      readonly isOpen: true;
      readonly answer: IncomingMessage;
      readonly socket: Socket;
      readonly head: Buffer;
    }
  | { readonly isOpen: false; readonly answer: IncomingMessage };

/** The close code of RFC 6455, section 7.4.1. */
const goingAway = 1001;
/** Milliseconds that one end has to close after the other, and that both have after the gateway's close frame. */
const farewellTime = 10_000;
const leavingTime = 5_000;
/** Milliseconds without progress after which the body of a refusal is given up. */
const idleTime = 300_000;
/** Milliseconds of silence before TCP probes a connection. */
const probeTime = 30_000;

/** The sockets that pass through to one upstream. */
export class Tunnels {
  readonly #open = new Set<Tunnel>();
  #leaving: string | undefined;

  /** Whether they are closing and no further one may open. */
  get isLeaving(): boolean {
    return this.#leaving !== undefined;
  }

  /** Adds a tunnel that was opened for `client`. */
  add(tunnel: Tunnel, client: Duplex): void {
    this.#open.add(tunnel);
    client.once("close", () => this.#open.delete(tunnel));
    if (this.#leaving !== undefined) tunnel.leave(this.#leaving);
  }

  /** Closes all of them, and those in the handshake as soon as they are open. */
  leave(reason: string): void {
    this.#leaving = reason;
    for (const tunnel of this.#open) tunnel.leave(reason);
  }
}

/**
 * Resolves when the socket is open, when the upstream has refused it, or with an error if there is no response. An open
 * socket is added to `tunnels`.
 */
export async function tunnel(
  call: Call,
  client: ClientEnd,
  { target, contact }: Forwarding,
  tunnels: Tunnels,
): Promise<StepResult> {
  if (!isHandshake(call)) return new GatewayError(400, "Not a WebSocket handshake");
  for (let attempt = 1; ; attempt += 1) {
    let outgoing: ClientRequest | undefined;
    try {
      outgoing = await ask(call, target);
      const outcome = await outcomeOf(outgoing, client, target);
      contact.made();
      if (client.socket.destroyed) outgoing.destroy();
      else if (outcome.isOpen) tunnels.add(join(client, outcome, call, target), client.socket);
      else passRefusal(client, outcome.answer, call, target);
      return "done";
    } catch (error) {
      if (client.socket.destroyed) return "done"; // the client left, which ended the request
      const isAgain = attempt < mostAttempts && outgoing !== undefined && mayAskAgain(error, outgoing, call);
      if (!isAgain) return contact.explain(error);
    }
  }
}

function isHandshake({ verb, request }: Call): boolean {
  return verb === "GET" && request.headers["sec-websocket-key"] !== undefined;
}

/** Creates the request. Through a proxy, unencrypted sockets need a tunnel, too (RFC 6455, section 4.1). */
async function ask(call: Call, target: ProxyTarget): Promise<ClientRequest> {
  const { url, proxy, timeouts } = target;
  const path = call.api === undefined ? "/" : pathAt(target, call, call.api);
  const headers = [...requestHead(call, target), "Connection", "Upgrade", "Upgrade", "websocket"];
  if (proxy === undefined || url.protocol === "https:") return openRequest(target, call, path, headers);
  const signal = timeouts.connect > 0 ? AbortSignal.timeout(timeouts.connect) : undefined;
  const socket = await proxy.connect(`${url.hostname}:${url.port || 80}`, signal);
  return request({ method: call.verb, path, headers, createConnection: () => socket });
}

function outcomeOf(outgoing: ClientRequest, client: ClientEnd, { timeouts }: ProxyTarget): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const time = timeouts.response + timeouts.connect;
    const late = () =>
      outgoing.destroy(new GatewayError(504, `Upstream did not answer within ${time / 1000} s`));
    const timer = timeouts.response > 0 ? setTimeout(late, time) : undefined;
    const leave = () => outgoing.destroy();
    client.socket.once("close", leave);
    const settle = () => {
      clearTimeout(timer);
      client.socket.off("close", leave);
    };
    outgoing.on("error", (error) => {
      settle();
      reject(error);
    });
    outgoing.once("upgrade", (answer: IncomingMessage, socket: Socket, head: Buffer) => {
      settle();
      if (answer.headers.upgrade?.toLowerCase() === "websocket")
        resolve({ isOpen: true, answer, socket, head });
      else {
        socket.destroy();
        reject(new Error("it switched to another protocol"));
      }
    });
    outgoing.once("response", (answer: IncomingMessage) => {
      settle();
      const fault = headFault(answer);
      if (fault !== undefined) outgoing.destroy(fault);
      else resolve({ isOpen: false, answer });
    });
    outgoing.end();
  });
}

function join(
  client: ClientEnd,
  { answer, socket: upstream, head }: Extract<Outcome, { isOpen: true }>,
  call: Call,
  target: ProxyTarget,
): Tunnel {
  const own = ["Connection: Upgrade", "Upgrade: websocket"];
  client.socket.write(headOf(101, answer, call, target, own), "latin1");
  const { idle = 0 } = target.timeouts;
  upstream.setTimeout(idle, () => upstream.destroy());
  const toClient = new Direction(upstream, client.socket, call.right);
  const toUpstream = new Direction(client.socket, upstream, call.right);
  if (head.length > 0) toClient.pass(head);
  if (client.head.length > 0) toUpstream.pass(client.head);
  const open: Tunnel = {
    end(code, reason) {
      toClient.end(closeFrame(code, reason));
      toUpstream.end(closeFrame(goingAway, reason, "client"));
    },
    leave(reason) {
      toClient.close(closeFrame(goingAway, reason));
      toUpstream.close(closeFrame(goingAway, reason, "client"));
      destroyLate(leavingTime, client.socket, upstream);
    },
  };
  if (call.right !== undefined) call.right.tunnel = open;
  return open;
}

/** One direction of a socket: relays bytes until a close frame of the gateway ends it between two frames. */
class Direction {
  readonly #from: Duplex;
  readonly #to: Duplex;
  readonly #relay: Relay;
  readonly #frames = new FrameBoundaries();
  /** The close frame to send after the current frame. */
  #last: Buffer | undefined;
  #isOver = false;

  constructor(from: Duplex, to: Duplex, right: CallRight | undefined) {
    this.#from = from;
    this.#to = to;
    this.#relay = new Relay(from, to);
    if (from instanceof Socket) from.setNoDelay(true).setKeepAlive(true, probeTime);
    const part = () => {
      this.#relay.flush();
      to.end();
      destroyLate(farewellTime, to, from);
    };
    from.on("error", () => to.destroy());
    from.once("end", part);
    from.once("close", part);
    from.on("data", (chunk: Buffer) => {
      if (!this.#isOver && right?.holds === false) this.#relay.hold(right, () => this.pass(chunk));
      else this.pass(chunk);
    });
  }

  pass(chunk: Buffer): void {
    // After our own close frame, bytes are read and dropped: unread ones would reset the connection and lose the frame.
    if (this.#isOver) return;
    if (this.#last === undefined) {
      this.#frames.pass(chunk);
      this.#relay.write(chunk);
      return;
    }
    this.#relay.write(chunk.subarray(0, this.#frames.passFrame(chunk, 0)));
    this.close(this.#last);
  }

  /** Ends the direction after the current frame; if its sender has closed it, no frame is needed. */
  close(last: Buffer): void {
    this.#last ??= last;
    if (this.#frames.isBetween && !this.#frames.hasClosed) this.end(this.#last);
  }

  /** Ends the direction immediately. */
  end(last: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#from.resume();
    if (!this.#frames.isBetween) {
      this.#to.destroy();
      return;
    }
    this.#relay.flush();
    if (this.#frames.hasClosed) this.#to.end();
    else this.#to.end(last);
  }
}

/** Destroys both ends if `end` has not closed in time. */
function destroyLate(time: number, end: Duplex, other: Duplex): void {
  if (end.destroyed) return;
  const timer = setTimeout(() => {
    end.destroy();
    other.destroy();
  }, time);
  end.once("close", () => clearTimeout(timer));
}

/** Sends the upstream's refusal to the client, and closes the connection after it. */
function passRefusal(client: ClientEnd, answer: IncomingMessage, call: Call, target: ProxyTarget): void {
  const { socket } = client;
  call.passedStatus = answer.statusCode ?? 502;
  socket.write(headOf(call.passedStatus, answer, call, target, ["Connection: close"]), "latin1");
  socket.once("finish", () => socket.destroy());
  socket.once("close", () => answer.destroy());
  // Only reading detects that a client leaves; its data is discarded.
  socket.once("end", () => socket.destroy()).resume();
  answer.setTimeout(target.timeouts.idle ?? idleTime, () => answer.destroy());
  answer.once("error", () => socket.destroy());
  answer.once("close", () => {
    if (!answer.complete) socket.destroy();
  });
  answer.pipe(socket);
}

function headOf(
  status: number,
  answer: IncomingMessage,
  call: Call,
  target: ProxyTarget,
  own: readonly string[],
): string {
  const fields = answerFields(answer, call, target);
  const lines = fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}`] : []));
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...own, ...lines].join("\r\n")}\r\n\r\n`;
}
