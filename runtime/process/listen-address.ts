// Addresses to listen on, in the format of documents and environment variables.

import net, { type Server } from "node:net";

/** The address to listen on; without a host, all interfaces. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
  /** A socket that is already bound and was passed to the process; host and port are those of the socket. */
  readonly descriptor?: number;
}

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/;

/** Parses `host:port`, `[v6]:port` and `:port`; `undefined` for other text. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, v6, host, portText] = pattern.exec(text.trim()) ?? [];
  const port = Number(portText ?? Number.NaN);
  if (!(port <= 65_535)) return undefined;
  const name = v6 ?? host;
  return name ? { host: name, port } : { port };
}

/** The origin of a listener's address, for messages, and the protocol of the listener. */
interface ListenOptions {
  readonly scheme?: "http" | "https";
  /** The environment variable that sets the address; the error of a listener that cannot open has it as `variable`. */
  readonly variable?: string;
}

/** Listens on an address; resolves with its URL, such as `http://127.0.0.1:8080`. Rejects if it cannot listen. */
export async function listen(
  server: Server,
  address: ListenAddress,
  { scheme = "http", variable }: ListenOptions = {},
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const { descriptor } = address;
    const fail = (error: Error) =>
      reject(variable === undefined ? error : Object.assign(error, { variable }));
    // The errors of a handle do not contain the address: if it cannot listen, listen again with the address itself.
    const listenItself = () =>
      server.once("error", fail).listen(descriptor === undefined ? address : { fd: descriptor });
    server.once("listening", () => {
      server.off("error", listenItself).off("error", fail);
      resolve();
    });
    const handle = descriptor === undefined ? boundHandle(address) : undefined;
    if (handle === undefined) {
      listenItself();
    } else {
      // As `listen(handle)` does in a process that is not a worker. That function also loads `node:cluster` with
      // `node:child_process` and `node:dgram`, which is a twelfth of the start.
      server.once("error", listenItself)._handle = handle;
      server._listen2(null, -1, -1);
    }
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("not listening on a port");
  const host = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return `${scheme}://${host}:${bound.port}`;
}

/** The functions with which Node's own cluster module creates handles and listens on them. */
declare module "node:net" {
  const _createServerHandle: ((address: string, port: number, family: 4) => object | number) | undefined;
  interface Server {
    _handle: object | null;
    _listen2(address: null, port: -1, family: -1): void;
  }
}

const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/**
 * Returns a handle that is bound to an IPv4 address; `undefined` if the server has to bind itself, as in workers,
 * which have a channel to their parent and share their listening sockets. Without a handle, Node tests whether the
 * address is a link-local IPv6 address, with a regular expression that takes 3 to 5 ms to compile at the start.
 */
function boundHandle({ host, port }: ListenAddress): object | undefined {
  const { _createServerHandle: bind, Server } = net;
  const isOwn = host !== undefined && ipv4.test(host) && process.send === undefined;
  if (!isOwn || !bind || !Server.prototype._listen2) return undefined;
  const handle = bind(host, port, 4);
  // A number is a system error, which the server reports in its own way.
  return typeof handle === "number" ? undefined : handle;
}
