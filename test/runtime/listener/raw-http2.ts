// An HTTP/2 client that writes single frames (RFC 9113, section 4), which no library would send.

import { once } from "node:events";
import { connect } from "node:tls";
import { until } from "../../harness/wait.ts";

/** Types of frames and their flags. */
export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 };
export const endStream = 1;
export const endHeaders = 4;

export interface RawHttp2Client {
  readonly isClosed: boolean;
  /** Whether the server has sent GOAWAY, or reset the connection, which discards what the client has not read. */
  wasRejected(): boolean;
  /** The types of the received frames. */
  readonly frames: readonly number[];
  write(...frames: readonly Buffer[]): void;
  /** Resolves when the bytes have been sent. */
  flush(): Promise<void>;
  ended(): Promise<void>;
  destroy(): void;
}

/** Connects to a loopback port, accepts any certificate, and opens a session. */
export async function rawHttp2Client(port: number): Promise<RawHttp2Client> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  const frames: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let isClosed = false;
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      frames.push(rest.readUInt8(3));
      rest = rest.subarray(9 + rest.readUIntBE(0, 3));
    }
  });
  let wasReset = false;
  // A reset counts as an ordinary end.
  socket.on("error", () => {
    wasReset = true;
  });
  socket.once("close", () => {
    isClosed = true;
  });
  await once(socket, "secureConnect");
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(frame(frameTypes.settings, 0, 0));
  return {
    get isClosed() {
      return isClosed;
    },
    wasRejected: () => wasReset || frames.includes(frameTypes.goaway),
    frames,
    write: (...parts) => void socket.write(Buffer.concat(parts)),
    flush: () => new Promise((resolve) => socket.write("", () => resolve())),
    ended: async () => void (await until(() => isClosed, { what: "the end of the connection" })),
    destroy: () => socket.destroy(),
  };
}

/** Returns one frame. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes a block of headers without compression (RFC 7541, section 6.2.2). */
export function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value, "latin1")]);
  return Buffer.concat(
    headers.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])),
  );
}

/** Returns the pseudo-headers of a request. */
export function requestHeaders(method: string, path: string): readonly (readonly [string, string])[] {
  return [
    [":method", method],
    [":scheme", "https"],
    [":path", path],
    [":authority", "localhost"],
  ];
}
