// Detects dead connections of WebSockets by pings.

import type { WebSocket } from "ws";

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
