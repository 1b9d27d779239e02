// Addresses of raw sockets: `host:port`, or the path of a Unix socket.

import type { NetConnectOpts } from "node:net";
import { EnvironmentError } from "../../process/environment.ts";

/** A host and a port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `127.0.0.1:6000`, `[::1]:6000` or `:6000`; an empty host means all interfaces. Throws an `EnvironmentError`
 * if it is invalid.
 */
export function hostAndPort(address: string): HostAndPort {
  const found = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:\s[\]/]*)):(\d{1,5})$/.exec(address);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535)
    throw new EnvironmentError([`\`${address}\` is not the address of a socket, such as 127.0.0.1:6000`]);
  return { host: found[1] ?? found[2] ?? "", port };
}

/** Returns the options for Node's `connect` and `listen`. */
export function placeOf(network: string, address: string): NetConnectOpts & { readonly path?: string } {
  if (network === "unix") return { path: address };
  const { host, port } = hostAndPort(address);
  return host === "" ? { port } : { host, port };
}
