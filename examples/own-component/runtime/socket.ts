// Sockets by their addresses.

import { createConnection, type Socket } from "node:net";
import { GatewayError } from "sluice/component";

/** Connects to `tcp://host:port` or `unix:///path`. Rejects with a `GatewayError` where that fails. */
export function connect(address: string, signal: AbortSignal): Promise<Socket> {
  const url = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket =
    url.protocol === "unix:"
      ? createConnection({ path: url.pathname, signal })
      : createConnection({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port), signal });
  const fail = (cause: Error) =>
    reject(new GatewayError(502, `Line socket: ${address} unreachable`, { cause }));
  socket.once("error", fail);
  socket.once("connect", () => {
    socket.off("error", fail);
    // A connection that is lost also closes, which is what its owner looks at.
    socket.on("error", () => socket.destroy());
    resolve(socket);
  });
  return promise;
}

/** Writes text; resolves once the system has taken it. Rejects with a `GatewayError` where the connection is lost. */
export function write(socket: Socket, content: Uint8Array | string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.write(content, (cause) => {
    if (cause === undefined || cause === null) resolve();
    else reject(new GatewayError(502, "Line socket: connection lost", { cause }));
  });
  return promise;
}
