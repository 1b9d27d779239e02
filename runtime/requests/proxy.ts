// A proxy for outgoing requests: plain requests are sent to it with the full address (RFC 9112, section 3.2.2),
// encrypted ones through a tunnel (RFC 9110, section 9.3.6).

import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as encryptedRequest } from "node:https";
import type { Socket } from "node:net";
import { GatewayError } from "../errors.ts";
import { credentialsOf } from "./basic-credentials.ts";

/** A proxy and how to connect through it. */
export interface ProxyServer {
  /** The address without user and password. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`, if the address has a user. */
  readonly authorization: string | undefined;
  /** Opens a connection through the proxy to `authority` (`host:port`); rejects if the proxy refuses it. */
  connect(authority: string, signal: AbortSignal | undefined): Promise<Socket>;
}

/** Returns the proxy at an HTTP or HTTPS address; `undefined` for an empty address. Opens no connection. */
export function createProxy(address: string): ProxyServer | undefined {
  if (address === "") return undefined;
  const parsed = URL.parse(address);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new GatewayError(500, "`proxy_url` is not an HTTP address");
  }
  const { url, authorization } = credentialsOf(parsed);
  return {
    url,
    authorization,
    connect: (authority, signal) => connect(url, authorization, authority, signal),
  };
}

function connect(
  url: URL,
  authorization: string | undefined,
  authority: string,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = begin(url, {
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization && { "proxy-authorization": authorization }) },
      agent: false,
      ...(signal && { signal }),
    });
    request.once("error", reject);
    request.once("response", (response) => refuse(response));
    request.once("connect", (response, socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        refuse(response);
      }
    });
    request.end();

    function refuse(response: IncomingMessage): void {
      response.destroy(); // its connection is of no further use
      reject(new GatewayError(502, `The proxy answered with status ${response.statusCode}`));
    }
  });
}

function begin(url: URL, options: Parameters<typeof plainRequest>[1]): ClientRequest {
  return url.protocol === "https:" ? encryptedRequest(url, options) : plainRequest(url, options);
}
