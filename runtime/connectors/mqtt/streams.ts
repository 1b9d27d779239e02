import { connect as connectTcp, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { createWebSocketStream, WebSocket } from "ws";
import type { TlsOptions } from "../../process/tls.ts";
import { clientLimits } from "../../sockets/client-limits.ts";
import type { BrokerAddress } from "./addresses.ts";

/** How connections are opened. */
export interface MqttStreamOptions {
  readonly tls: TlsOptions | undefined;
  /** Milliseconds the handshake of a WebSocket may take. */
  readonly timeout: number;
}

/**
 * Gives a connection to the next of the addresses each time it is called; failures are reported by the stream. The
 * client has a way of its own to do so, which keeps the server's name and the path of one address for all of them.
 */
export function createStreamOpener(
  addresses: readonly BrokerAddress[],
  options: MqttStreamOptions,
): () => Duplex {
  let next = 0;
  return () => {
    const address = addresses[next % addresses.length];
    if (address === undefined) throw new TypeError("there is at least one address");
    next += 1;
    return openStream(address, options);
  };
}

function openStream(
  { protocol, host, port, path }: BrokerAddress,
  { tls, timeout }: MqttStreamOptions,
): Duplex {
  switch (protocol) {
    case "tcp":
      return connectTcp({ host, port, noDelay: true });
    case "tls": {
      // The name of a server is never an address (RFC 6066).
      const servername = isIP(host) === 0 ? { servername: host } : {};
      return connectTls({ host, port, ...servername, ...tls }).setNoDelay();
    }
    default: {
      const authority = host.includes(":") ? `[${host}]` : host;
      const url = `${protocol}://${authority}:${port}${path}`;
      const options = { ...tls, ...clientLimits, handshakeTimeout: timeout };
      const socket = new WebSocket(url, ["mqtt"], options);
      const stream = createWebSocketStream(socket);
      socket.once("close", () => stream.destroy()); // a close by the broker would only end the reading side
      return stream;
    }
  }
}
