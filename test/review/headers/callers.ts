// Callers over HTTP/1.1, as bytes on a socket, and over HTTP/2.

import { once } from "node:events";
import { connect } from "node:tls";
import { http2Client } from "../../runtime/listener/http2-client.ts";
import type { HeadersGateway } from "./document.ts";
import { headersOf } from "./recorder.ts";
import { cookieOf, type MadeRequest, targetOf } from "./requests.ts";

/** A response; `headers` as received. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Sends requests over one protocol. */
export interface Requester {
  ask(kind: string, request: MadeRequest): Promise<Answer>;
  close(): void;
}

/** The body of every request: a page would run it if it were interpreted as a script. */
export const script = "<script>alert(1)</script>";

/** Opens a connection for each request. */
export function rawCaller({ gateway, authority: ca }: HeadersGateway): Requester {
  const port = Number(new URL(gateway.url).port);
  return {
    async ask(kind, request) {
      const socket = connect({ port, host: "127.0.0.1", ca, ALPNProtocols: ["http/1.1"] });
      await once(socket, "secureConnect");
      const lines = [...request.headers, ...cookieOf(request)].map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.write(
        `POST ${targetOf(kind, request)} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n` +
          `content-length: ${script.length}\r\n${lines.join("")}\r\n${script}`,
      );
      let text = "";
      for await (const bytes of socket) text += (bytes as Buffer).toString("latin1"); // no encoding is set
      const head = text.split("\r\n\r\n", 1)[0] ?? "";
      return { status: Number(head.slice(9, 12)), headers: headersOf(head) };
    },
    close() {},
  };
}

/**
 * Sends all requests over one connection; reconnects after the gateway closes it, as it does after a minute without
 * requests.
 */
export async function http2Caller({ gateway, authority: ca }: HeadersGateway): Promise<Requester> {
  let client = await http2Client(gateway.url, { ca });
  return {
    async ask(kind, request) {
      if (client.session.closed || client.session.destroyed) client = await http2Client(gateway.url, { ca });
      const pseudo = { ":path": targetOf(kind, request), ":method": "POST" };
      const own = Object.fromEntries(
        [...request.headers, ...cookieOf(request)].map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { status, headers } = await client.ask({ ...pseudo, ...own }, script);
      const left = Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each) => [name, each] as const),
      );
      return { status, headers: left };
    },
    close: () => client.close(),
  };
}
