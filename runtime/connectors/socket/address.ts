// Addresses of bare sockets: `host:port`, or the path of a socket of the machine.

import type { NetConnectOpts } from "node:net";
import { EnvironmentError } from "../../process/environment.ts";

/** Where a socket is. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** The host and port of `127.0.0.1:6000`, `[::1]:6000` or `:6000`; an empty host stands for all. Throws where it is not one. */
export function hostAndPort(address: string): HostAndPort {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:\s[\]/]*)):(\d{1,5})$/.exec(address);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535)
    throw new EnvironmentError([`\`${address}\` is not the address of a socket, such as 127.0.0.1:6000`]);
  return { host: found[1] ?? found[2] ?? "", port };
}

/** The same in the options of Node's `connect` and `listen`. */
export function placeOf(network: string, address: string): NetConnectOpts & { readonly path?: string } {
  if (network === "unix") return { path: address };
  const { host, port } = hostAndPort(address);
  return host === "" ? { port } : { host, port };
}
