// Opens WebSockets on connections that the gateway's server hands over.

import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { SocketAdmission, SocketExchange } from "../component/endpoint.ts";
import { Allowance, answeredFrames, countPieces } from "../concurrency/allowance.ts";
import { Limited, TimeLimits } from "../concurrency/time-limits.ts";
import { GatewayError } from "../errors.ts";
import { bodyBudget, type Hold } from "../process/memory/body-budget.ts";
import { closeSocket, FrameBoundaries } from "./frames.ts";

/** Implements `upgrade` for every WebSocket endpoint. */
export function openSocket(
  exchange: Pick<SocketExchange, "request" | "socket" | "head" | "messages">,
  admissions: readonly SocketAdmission[],
): GatewayError | undefined {
  const handshakes = handshakesFor(Math.max(...admissions.map(({ maxFrameBytes }) => maxFrameBytes)));
  // ws validates the head of the request before `handleUpgrade` returns.
  handshakes.refused = undefined;
  handshakes.server.handleUpgrade(exchange.request, exchange.socket, exchange.head, (socket) => {
    // A protocol error closes the socket; nothing else is to be done.
    socket.on("error", ignore);
    keepAlive(
      socket,
      Math.min(...admissions.map(({ pingPeriod }) => pingPeriod)),
      Math.max(...admissions.map(({ pongWait }) => pongWait)),
    );
    exchange.messages?.watch(socket);
    countAssembled(socket, exchange.socket);
    for (const admission of admissions) admission.attach(socket, exchange.socket);
  });
  return handshakes.refused === undefined ? undefined : handshakeFault(handshakes.refused);
}

function ignore(): void {}

/** The handshake server for one frame size. */
interface Handshakes {
  readonly server: WebSocketServer;
  /** The last request that was not a valid handshake. */
  refused: IncomingMessage | undefined;
}

/** Handshake servers by the largest frame: documents use few sizes. */
const handshakesBySize = /* @__PURE__ */ new Map<number, Handshakes>();

function handshakesFor(maxPayload: number): Handshakes {
  const known = handshakesBySize.get(maxPayload);
  if (known !== undefined) return known;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory per connection and is a well-known way to exhaust servers.
    perMessageDeflate: false,
    maxPayload,
  });
  const handshakes: Handshakes = { server, refused: undefined };
  server.on("wsClientError", (_error, _socket, request: IncomingMessage) => {
    handshakes.refused = request;
  });
  handshakesBySize.set(maxPayload, handshakes);
  return handshakes;
}

/** Bytes of a short client frame in addition to its payload (RFC 6455, section 5.2). */
const frameHead = 6;
/** Bytes of memory that each read takes in addition to its data: ws keeps each read as a separate buffer. */
const readCost = 512;
/** Bytes of memory that a fragment takes in addition to its frame: ws keeps each fragment separately. */
const fragmentCost = 128;

/** Counts the bytes of the message that a client is sending; closes the socket with 1013 if there is no room. */
function countAssembled(socket: WebSocket, connection: SocketExchange["socket"]): void {
  const hold = bodyBudget.holdUntilClosed(connection);
  const frames = new FrameBoundaries();
  /** Bytes of the message, without the overhead of reads. */
  let assembled = 0;
  /** Bytes by which the fragments fall short of their minimum content. */
  let short = 0;
  /** Created at the first ping or pong. */
  let allowance: Allowance | undefined;
  const clear = () => {
    assembled = 0;
    hold.clear();
  };
  const passed = (payload: Buffer) => {
    allowance ??= new Allowance(answeredFrames);
    if (!allowance.spend()) {
      refuse(socket, connection, hold, 1008, "too many pings and pongs");
      return;
    }
    assembled -= frameHead + payload.length;
    if (assembled <= 0) clear();
    else hold.give(frameHead + payload.length);
  };
  // Runs before ws reads the data: otherwise the end of a message would count until the next one.
  connection.prependListener("data", (chunk: Buffer) => {
    const earlier = frames.fragments;
    frames.pass(chunk);
    const pieces = frames.fragments - earlier;
    assembled += chunk.length;
    const carried = chunk.length - pieces * frameHead;
    const counted = pieces === 0 ? short : countPieces(connection, short, pieces, carried);
    if (counted === undefined) refuse(socket, connection, hold, 1008, "fragments are too small");
    else {
      short = counted;
      if (hold.take(readCost + pieces * fragmentCost + chunk.length) !== undefined)
        refuse(socket, connection, hold, 1013, "too many messages are being read");
    }
  });
  socket.on("message", clear).on("ping", passed).on("pong", passed);
}

/** Closes a socket, and releases the room of its client immediately, so that it is available to others. */
function refuse(
  socket: WebSocket,
  connection: SocketExchange["socket"],
  hold: Hold,
  code: number,
  reason: string,
): void {
  // Other data of the same read may be refused, too.
  if (connection.writableEnded) return;
  hold.release();
  closeSocket(socket, code, reason);
  discardRest(connection);
}

/** Milliseconds that a refused client has to read the close frame; until then, data of its message stays in memory. */
const refusalTime = 1_000;

/**
 * Ends a connection after the close frame. Further data of the client is read and dropped: destroying a connection
 * with unread data resets it, and the reset can overtake the close frame.
 */
function discardRest(connection: SocketExchange["socket"]): void {
  connection.removeAllListeners("data");
  connection.resume();
  connection.end();
  const cut = setTimeout(() => connection.destroy(), refusalTime);
  connection.once("close", () => clearTimeout(cut));
}

/** Returns the error of a failed handshake, with the supported version if it differs (RFC 6455, section 4.4). */
function handshakeFault({ headers }: IncomingMessage): GatewayError {
  const version = headers["sec-websocket-version"];
  if (version === undefined || version === "13") return new GatewayError(400, "Not a WebSocket handshake");
  return new GatewayError(426, "WebSocket version is not supported", {
    headers: { upgrade: "websocket", "sec-websocket-version": "13" },
  });
}

/** Sends pings, and destroys connections without a sign of life; one that the gateway does not read is alive. */
export function keepAlive(socket: WebSocket, pingPeriod: number, pongWait: number): void {
  const periods = `${pingPeriod} ${pongWait}`;
  const liveness = livenessByPeriods.get(periods) ?? new Liveness(pingPeriod, pongWait);
  livenessByPeriods.set(periods, liveness);
  liveness.watch(socket);
}

/** Watchers by the two periods: documents use few. */
const livenessByPeriods = /* @__PURE__ */ new Map<string, Liveness>();

/** Watches the sockets with the same periods: two timers for all of them, and shared listeners. */
class Liveness {
  readonly #watched = new Map<WebSocket, Watched>();
  readonly #pings: TimeLimits;
  readonly #silences: TimeLimits;

  constructor(pingPeriod: number, pongWait: number) {
    // A client that only answers pings must get one before its silence is too long.
    this.#pings = TimeLimits.endingBy(pingPeriod);
    this.#silences = new TimeLimits(pongWait);
  }

  watch(socket: WebSocket): void {
    const watched = { ping: new Ping(socket, this.#pings), silence: new Silence(socket, this.#silences) };
    this.#watched.set(socket, watched);
    this.#pings.begin(watched.ping);
    this.#silences.begin(watched.silence);
    socket.on("pong", this.#seen).on("ping", this.#seen).on("message", this.#seen).on("close", this.#closed);
  }

  readonly #seen = this.#withWatched(({ silence }) => {
    this.#silences.end(silence);
    this.#silences.begin(silence);
  });

  readonly #closed = this.#withWatched(({ ping, silence }, socket) => {
    this.#watched.delete(socket);
    this.#pings.leave(ping);
    this.#silences.leave(silence);
  });

  /** Returns a listener that all sockets share. */
  #withWatched(use: (watched: Watched, socket: WebSocket) => void): (this: WebSocket) => void {
    const all = this.#watched;
    return function (this: WebSocket) {
      const watched = all.get(this);
      if (watched !== undefined) use(watched, this);
    };
  }
}

/** The timers of an open socket. */
interface Watched {
  readonly ping: Ping;
  readonly silence: Silence;
}

/** The time until the next ping. */
class Ping extends Limited {
  readonly #socket: WebSocket;
  readonly #pings: TimeLimits;

  constructor(socket: WebSocket, pings: TimeLimits) {
    super();
    this.#socket = socket;
    this.#pings = pings;
  }

  onTimeout(): void {
    this.#pings.begin(this);
    this.#socket.ping();
  }
}

/** The time since the last sign of life. */
class Silence extends Limited {
  readonly #socket: WebSocket;
  readonly #silences: TimeLimits;

  constructor(socket: WebSocket, silences: TimeLimits) {
    super();
    this.#socket = socket;
    this.#silences = silences;
  }

  onTimeout(): void {
    if (this.#socket.isPaused) this.#silences.begin(this);
    else this.#socket.terminate();
  }
}
