// Opens WebSockets on connections that the gateway's server hands over.

import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { SocketAdmission, SocketExchange } from "../component/endpoint.ts";
import { GatewayError } from "../errors.ts";
import { bodyBudget } from "../process/memory/body-budget.ts";
import { closeSocket } from "./frames.ts";

/** The `upgrade` of every socket endpoint. */
export function openSocket(
  exchange: Pick<SocketExchange, "request" | "socket" | "head" | "messages">,
  admissions: readonly SocketAdmission[],
): GatewayError | undefined {
  const handshakes = handshakesFor(Math.max(...admissions.map(({ maxFrameBytes }) => maxFrameBytes)));
  // ws judges the head of the request before `handleUpgrade` returns.
  handshakes.refused = undefined;
  handshakes.server.handleUpgrade(exchange.request, exchange.socket, exchange.head, (socket) => {
    // A protocol error closes the socket, which is all that happens to it.
    socket.on("error", () => undefined);
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

/** What answers handshakes for one size of frames. */
interface Handshakes {
  readonly server: WebSocketServer;
  /** The last request that was no handshake. */
  refused: IncomingMessage | undefined;
}

/** By the largest frame: documents name few. */
const handshakesBySize = /* @__PURE__ */ new Map<number, Handshakes>();

function handshakesFor(maxPayload: number): Handshakes {
  const known = handshakesBySize.get(maxPayload);
  if (known !== undefined) return known;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory per connection and is an old way to exhaust servers.
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

/** Bytes of a control frame from a client besides its payload (RFC 6455, section 5.2). */
const controlHead = 6;

/** Counts the bytes of the message that a client is sending; a client whose message has no room may come back later. */
function countAssembled(socket: WebSocket, connection: SocketExchange["socket"]): void {
  const hold = bodyBudget.holdUntilClosed(connection);
  const passed = (payload: Buffer) => hold.give(controlHead + payload.length);
  connection.on("data", (chunk: Buffer) => {
    if (hold.take(chunk.length) === undefined) return;
    // At once, so that the room of one refused client is there for the others.
    hold.release();
    closeSocket(socket, 1013, "too many messages are being read");
    discardRest(connection);
  });
  socket
    .on("message", () => hold.clear())
    .on("ping", passed)
    .on("pong", passed);
}

/** Milliseconds that a refused client has to read the close frame; what it has sent of its message is held until then. */
const refusalTime = 1_000;

/**
 * Ends a connection behind the close frame. What the client still sends is read and dropped: a connection that is cut with
 * unread bytes is reset, and a reset can overtake the close frame.
 */
function discardRest(connection: SocketExchange["socket"]): void {
  connection.removeAllListeners("data");
  connection.resume();
  connection.end();
  const cut = setTimeout(() => connection.destroy(), refusalTime);
  connection.once("close", () => clearTimeout(cut));
}

/** The answer names the supported version to clients of another (RFC 6455, section 4.4). */
function handshakeFault({ headers }: IncomingMessage): GatewayError {
  const version = headers["sec-websocket-version"];
  if (version === undefined || version === "13") return new GatewayError(400, "Not a WebSocket handshake");
  return new GatewayError(426, "WebSocket version is not supported", {
    headers: { upgrade: "websocket", "sec-websocket-version": "13" },
  });
}

/** Pings, and cuts a connection that gives no sign of life; one that the gateway does not read counts as alive. */
export function keepAlive(socket: WebSocket, pingPeriod: number, pongWait: number): void {
  const ping = setInterval(pingSocket, pingPeriod, socket);
  const silence = setTimeout(() => {
    if (socket.isPaused) silence.refresh();
    else socket.terminate();
  }, pongWait);
  const seen = () => silence.refresh();
  socket.on("pong", seen).on("ping", seen).on("message", seen);
  socket.on("close", () => {
    clearInterval(ping);
    clearTimeout(silence);
  });
}

function pingSocket(socket: WebSocket): void {
  socket.ping();
}
