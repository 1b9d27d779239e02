// Addresses to listen on, as documents and environment variables write them.

import type { Server } from "node:net";

/** Where to listen; without a host on every interface. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
  /** A socket that listens already, which the process was started with; host and port are its own. */
  readonly descriptor?: number;
}

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/;

/** Reads `host:port`, `[v6]:port` and `:port`; `undefined` for other text. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, v6, host, portText] = pattern.exec(text.trim()) ?? [];
  const port = Number(portText ?? Number.NaN);
  if (!(port <= 65_535)) return undefined;
  const name = v6 ?? host;
  return name ? { host: name, port } : { port };
}

/** Where the address of a listener comes from, for messages, and what it speaks. */
interface ListenOptions {
  readonly scheme?: "http" | "https";
  /** The environment variable that changes the address; the error of a listener that cannot open has it as `variable`. */
  readonly variable?: string;
}

/** Listens; resolves with the address as an URL, such as `http://127.0.0.1:8080`. Rejects when it cannot. */
export async function listen(
  server: Server,
  address: ListenAddress,
  { scheme = "http", variable }: ListenOptions = {},
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(variable === undefined ? error : Object.assign(error, { variable }));
    server.once("error", fail);
    const { descriptor } = address;
    server.listen(descriptor === undefined ? address : { fd: descriptor }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("not listening on a port");
  const host = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return `${scheme}://${host}:${bound.port}`;
}
