// Opens WebSockets (RFC 6455, section 4.2) on connections that the gateway's server hands over.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { SocketAdmission, SocketExchange } from "../component/endpoint.ts";
import { Allowance, answeredFrames, countPieces } from "../concurrency/allowance.ts";
import { Limited, TimeLimits } from "../concurrency/time-limits.ts";
import { GatewayError } from "../errors.ts";
import { destroyThis } from "../http/gateway-messages.ts";
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
    // From here on, ws destroys a reset connection; a second listener takes 0.1 KB for each client.
    exchange.socket.off("error", destroyThis);
    keepAlive(
      socket,
      Math.min(...admissions.map(({ pingPeriod }) => pingPeriod)),
      Math.max(...admissions.map(({ pongWait }) => pongWait)),
      new Assembly(socket, exchange.socket),
    );
    exchange.messages?.watch(socket);
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
class Assembly extends FrameBoundaries {
  readonly #socket: WebSocket;
  readonly #connection: SocketExchange["socket"];
  readonly #hold: Hold = bodyBudget.hold();
  /** Bytes of the message, without the overhead of reads. */
  #assembled = 0;
  /** Bytes by which the fragments fall short of their minimum content. */
  #short = 0;
  /** Created at the first ping or pong. */
  #allowance: Allowance | undefined = undefined;

  constructor(socket: WebSocket, connection: SocketExchange["socket"]) {
    super();
    this.#socket = socket;
    this.#connection = connection;
    if (connection.destroyed) return;
    assemblies.set(connection, this);
    // Runs before ws reads the data: otherwise the end of a message would count until the next one.
    connection.prependListener("data", readAssembly).on("close", closeAssembly);
  }

  /** Called when the connection has closed. */
  close(): void {
    this.#hold.release();
  }

  /** Called when a message is complete. */
  clear(): void {
    this.#assembled = 0;
    this.#hold.clear();
  }

  /** Called for the payload of a ping or pong. */
  passed(payload: Buffer): void {
    this.#allowance ??= new Allowance(answeredFrames);
    if (!this.#allowance.spend()) {
      this.#refuse(1008, "too many pings and pongs");
      return;
    }
    this.#assembled -= frameHead + payload.length;
    if (this.#assembled <= 0) this.clear();
    else this.#hold.give(frameHead + payload.length);
  }

  /** Called for data from the client. */
  read(chunk: Buffer): void {
    const earlier = this.fragments;
    this.pass(chunk);
    const pieces = this.fragments - earlier;
    this.#assembled += chunk.length;
    const carried = chunk.length - pieces * frameHead;
    const counted = pieces === 0 ? this.#short : countPieces(this.#connection, this.#short, pieces, carried);
    if (counted === undefined) this.#refuse(1008, "fragments are too small");
    else {
      this.#short = counted;
      if (this.#hold.take(readCost + pieces * fragmentCost + chunk.length) !== undefined)
        this.#refuse(1013, "too many messages are being read");
    }
  }

  /** Closes the socket, and releases the room of its client immediately, so that it is available to others. */
  #refuse(code: number, reason: string): void {
    // Other data of the same read may be refused, too.
    if (this.#connection.writableEnded) return;
    this.#hold.release();
    closeSocket(this.#socket, code, reason);
    discardRest(this.#connection);
  }
}

/** Assemblies by connection, for listeners that all connections share. */
const assemblies = /* @__PURE__ */ new Map<Duplex, Assembly>();

function readAssembly(this: Duplex, chunk: Buffer): void {
  assemblies.get(this)?.read(chunk);
}

function closeAssembly(this: Duplex): void {
  assemblies.get(this)?.close();
  assemblies.delete(this);
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

/**
 * Sends pings, and destroys connections without a pong; one that the gateway does not read is alive.
 * `assembly`: counts what a client of the gateway sends. It has no listeners of its own: a second listener for the same
 * event takes 0.1 KB for each client.
 */
export function keepAlive(
  socket: WebSocket,
  pingPeriod: number,
  pongWait: number,
  assembly?: Assembly,
): void {
  const periods = `${pingPeriod} ${pongWait}`;
  const liveness = livenessByPeriods.get(periods) ?? new Liveness(pingPeriod, pongWait);
  livenessByPeriods.set(periods, liveness);
  liveness.watch(socket, assembly);
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

  watch(socket: WebSocket, assembly: Assembly | undefined): void {
    const watched = new Watched(socket, this.#silences, new Ping(socket, this.#pings), assembly);
    this.#watched.set(socket, watched);
    this.#pings.begin(watched.ping);
    this.#silences.begin(watched);
    socket
      .on("pong", this.#controlled)
      .on("ping", this.#controlled)
      .on("message", this.#received)
      .on("close", this.#closed);
  }

  readonly #controlled = this.#withWatched((watched, _socket, payload: Buffer) => {
    this.#seen(watched);
    watched.assembly?.passed(payload);
  });

  readonly #received = this.#withWatched((watched) => {
    this.#seen(watched);
    watched.assembly?.clear();
  });

  readonly #closed = this.#withWatched((watched, socket) => {
    this.#watched.delete(socket);
    this.#pings.leave(watched.ping);
    this.#silences.leave(watched);
  });

  #seen(watched: Watched): void {
    this.#silences.end(watched);
    this.#silences.begin(watched);
  }

  /** Returns a listener that all sockets share. */
  #withWatched<Values extends unknown[]>(
    use: (watched: Watched, socket: WebSocket, ...values: Values) => void,
  ): (this: WebSocket, ...values: Values) => void {
    const all = this.#watched;
    return function (this: WebSocket, ...values: Values) {
      const watched = all.get(this);
      if (watched !== undefined) use(watched, this, ...values);
    };
  }
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

/** An open socket, which waits for a pong. */
class Watched extends Limited {
  readonly ping: Ping;
  /** What its client is sending. */
  readonly assembly: Assembly | undefined;
  readonly #socket: WebSocket;
  readonly #silences: TimeLimits;

  constructor(socket: WebSocket, silences: TimeLimits, ping: Ping, assembly: Assembly | undefined) {
    super();
    this.#socket = socket;
    this.#silences = silences;
    this.ping = ping;
    this.assembly = assembly;
  }

  onTimeout(): void {
    if (this.#socket.isPaused) this.#silences.begin(this);
    else this.#socket.terminate();
  }
}
