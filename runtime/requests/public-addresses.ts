// Restricts the servers that requests may be sent to if their address is not completely fixed by the document:
// addresses from callers must not reach the gateway's private network, and addresses computed from messages need an
// allowed host.

import { type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { holdsAddress, readNetworks } from "../process/networks.ts";

/**
 * Networks that are not part of the public internet: the special-purpose registries of IANA (RFC 6890), multicast,
 * and the IPv6 forms that contain an IPv4 address which a gateway on the path unpacks (RFC 3056, 4380, 6052).
 */
const closed = /* @__PURE__ */ readNetworks(
  [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "::1",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/32",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
  ],
  "the closed networks",
);

/** The reason why a connection was not made. */
export const closedTarget = "The address is not public";

/**
 * Whether an address belongs to the public internet; also checks IPv4 addresses written as IPv6 (`::ffff:10.0.0.1`).
 */
export function isPublic(address: string): boolean {
  return isIP(address) !== 0 && !holdsAddress(closed, address);
}

/** Returns the host of an address in the form for connecting, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns a lookup function for connections that ignores addresses which are not public. */
export function publicLookup(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options: LookupOptions, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const fitting = addresses.filter(({ address }) => isPublic(address));
      const [first] = fitting;
      if (first === undefined) return done(new ClosedTargetError(), []);
      return options.all === true ? done(null, fitting) : done(null, first.address, first.family);
    });
  };
}

/** The error for an address that is not public, or a name without a public address. */
export class ClosedTargetError extends Error {
  override readonly name = "ClosedTargetError";

  constructor() {
    super(closedTarget);
  }
}

/** Whether requests may be sent to the server of an address. */
export type HostTest = (url: URL) => boolean;

/**
 * Returns a test that accepts the listed hosts. `*.example.com` accepts `a.example.com` and `a.b.example.com`. With a
 * port, an entry accepts only that port; without one, only the default port of the scheme.
 */
export function hostTest(allowed: readonly string[]): HostTest {
  const hosts = allowed.map((host) => host.toLowerCase());
  return ({ host }) =>
    hosts.some((each) => (each.startsWith("*.") ? host.endsWith(each.slice(1)) : host === each));
}
