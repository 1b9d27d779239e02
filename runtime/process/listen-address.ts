// Addresses to listen on, as documents and environment variables write them.

import net, { type Server } from "node:net";
import { cluster } from "./builtins.ts";

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
    const { descriptor } = address;
    const fail = (error: Error) =>
      reject(variable === undefined ? error : Object.assign(error, { variable }));
    // Of a handle that cannot listen, errors do not say the address.
    const listenItself = () =>
      server.once("error", fail).listen(descriptor === undefined ? address : { fd: descriptor });
    server.once("listening", () => {
      server.off("error", listenItself).off("error", fail);
      resolve();
    });
    const handle = descriptor === undefined ? boundHandle(address) : undefined;
    if (handle === undefined) listenItself();
    else server.once("error", listenItself).listen(handle);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("not listening on a port");
  const host = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return `${scheme}://${host}:${bound.port}`;
}

/** What Node's own cluster makes handles by. */
declare module "node:net" {
  function _createServerHandle(address: string, port: number, family: 4): object | number;
}

const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/**
 * A handle that is bound to an address of IPv4; `undefined` where the server has to bind itself, as in workers, which share what
 * they listen on. Of each address a server asks whether it is a link-local one of IPv6, by an expression that takes 3 to 5 ms of
 * a start to compile.
 */
function boundHandle({ host, port }: ListenAddress): object | undefined {
  const isOwn = host !== undefined && ipv4.test(host) && cluster().isPrimary;
  if (!isOwn || typeof net._createServerHandle !== "function") return undefined;
  const handle = net._createServerHandle(host, port, 4);
  // A number is the error of the system, which the server tells in its own way.
  return typeof handle === "number" ? undefined : handle;
}
