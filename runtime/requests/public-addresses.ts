// Which servers requests may be sent to whose address is not all the document's: addresses from callers must not reach
// what only the gateway can, and those that a message has a say in need a host that is allowed.

import { type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { holdsAddress, readNetworks } from "../process/networks.ts";

/**
 * Networks that are not the public internet: the special-purpose registries of IANA (RFC 6890), multicast, and the forms
 * of IPv6 that carry an address of IPv4 which a gateway on the way unpacks (RFC 3056, 4380, 6052).
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

/** Why a connection was not made. */
export const closedTarget = "The address is not public";

/** Whether an address is of the public internet; also of IPv4 written as IPv6 (`::ffff:10.0.0.1`). */
export function isPublic(address: string): boolean {
  return isIP(address) !== 0 && !holdsAddress(closed, address);
}

/** The host of an address as one connects to it, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** How names are looked up for a connection: addresses that are not public are as if they were not there. */
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

/** An address or a name that stands for nothing public. */
export class ClosedTargetError extends Error {
  override readonly name = "ClosedTargetError";

  constructor() {
    super(closedTarget);
  }
}

/** Whether requests may go to the server of an address. */
export type HostTest = (url: URL) => boolean;

/**
 * A host passes that is written as it is, or below `*.`: `*.example.com` is `a.example.com` and `a.b.example.com`. With a
 * port it is that port alone, without one the usual one of the scheme.
 */
export function hostTest(allowed: readonly string[]): HostTest {
  const hosts = allowed.map((host) => host.toLowerCase());
  return ({ host }) =>
    hosts.some((each) => (each.startsWith("*.") ? host.endsWith(each.slice(1)) : host === each));
}
