// Parses those parts of the requests of Kafka clients that tests check.

import type { TcpProxy } from "../../harness/tcp-proxy.ts";

/** The API keys of requests. */
const kinds = { Produce: 0, Fetch: 1, JoinGroup: 11 } as const;

/** A request; `body` contains what follows its header. */
export interface WireRequest {
  readonly clientId: string;
  readonly body: Buffer;
}

/** Returns a function that returns the requests of a kind that have passed the proxy since this call. */
export function requestsThrough(proxy: TcpProxy): (kind: keyof typeof kinds) => readonly WireRequest[] {
  const requests: (WireRequest & { readonly kind: number })[] = [];
  const rests = new Map<number, Buffer>();
  proxy.onSent((bytes, connection) => {
    let rest = Buffer.concat([rests.get(connection) ?? Buffer.alloc(0), bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      requests.push(parseRequest(rest.subarray(4, end)));
      rest = rest.subarray(end);
    }
    rests.set(connection, rest);
  });
  return (kind) => requests.filter((request) => request.kind === kinds[kind]);
}

/** Parses API key, version and correlation id of a request, then the name of the client. */
function parseRequest(bytes: Buffer): WireRequest & { readonly kind: number } {
  const end = 10 + Math.max(0, bytes.readInt16BE(8));
  return { kind: bytes.readInt16BE(0), clientId: bytes.toString("utf8", 10, end), body: bytes.subarray(end) };
}

/** Encodes a number as requests do. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Encodes a text as requests do. */
export function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeInt16BE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value)]);
}
