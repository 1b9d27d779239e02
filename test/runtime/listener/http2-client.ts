// An HTTP/2 client with promises.

import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { text } from "node:stream/consumers";

/** A complete response. */
export interface Http2Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One connection. */
export interface Http2Client {
  readonly session: ClientHttp2Session;
  /** Sends a request and reads its response. `headers` starts with `:path`. */
  ask(headers: OutgoingHttpHeaders, body?: string): Promise<Http2Answer>;
  /** Sends the head of a request. The caller ends the request. */
  open(headers: OutgoingHttpHeaders): ClientHttp2Stream;
  close(): void;
}

/** Resolves with the head of the response. Rejects if the request ends without one. */
export function answerTo(
  stream: ClientHttp2Stream,
): Promise<IncomingHttpHeaders & { readonly ":status"?: number }> {
  return new Promise((resolve, reject) => {
    stream.once("response", resolve);
    stream.once("error", reject);
    stream.once("close", () => reject(new Error(`closed without an answer, with code ${stream.rstCode}`)));
  });
}

/** Connects to `url`. Rejects if the handshake fails. */
export async function http2Client(url: string, options: SecureClientSessionOptions): Promise<Http2Client> {
  const session = connect(url, options);
  await once(session, "connect");
  // Some tests check connections that the other side ends; their requests report it.
  session.on("error", () => undefined);
  return {
    session,
    async ask(headers, body) {
      const stream = session.request(headers, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
      const answered = await answerTo(stream);
      return { status: answered[":status"] ?? 0, headers: answered, body: await text(stream) };
    },
    open: (headers) => session.request(headers, { endStream: false }),
    close: () => session.close(),
  };
}
