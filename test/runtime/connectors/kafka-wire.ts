// What clients of Kafka say on the wire, as far as tests ask for it.

import type { TcpProxy } from "../../harness/tcp-proxy.ts";

/** Numbers by which requests tell what they are. */
const kinds = { Produce: 0, Fetch: 1, JoinGroup: 11 } as const;

/** A request; what follows its head is in `body`. */
export interface WireRequest {
  readonly clientId: string;
  readonly body: Buffer;
}

/** The requests of a kind that have passed a proxy since it was asked. */
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

/** Kind, version and number of the request, then the client's name. */
function parseRequest(bytes: Buffer): WireRequest & { readonly kind: number } {
  const end = 10 + Math.max(0, bytes.readInt16BE(8));
  return { kind: bytes.readInt16BE(0), clientId: bytes.toString("utf8", 10, end), body: bytes.subarray(end) };
}

/** A number as requests hold it. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A text as requests hold it. */
export function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeInt16BE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value)]);
}
