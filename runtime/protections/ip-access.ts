// Addresses that may call an API: `server.ipAccessControl`.

import { BlockList, isIP } from "node:net";
import { EnvironmentError } from "../environment.ts";
import { GatewayError } from "../errors.ts";
import type { Protection } from "../protection.ts";

/** The `ipAccessControl` block; addresses (`10.1.2.3`, `::1`) or networks (`10.0.0.0/8`). */
export interface IpAccessBlock {
  readonly enabled?: boolean;
  /** Where there are any, only these may call. */
  readonly allow?: readonly string[];
  /** These may not, whatever `allow` says. */
  readonly block?: readonly string[];
}

/**
 * Refuses with 403 whoever calls from an address that is blocked, or not among those allowed. Throws an
 * `EnvironmentError` for an entry that is no address.
 */
export function ipAccess({ enabled = false, allow = [], block = [] }: IpAccessBlock = {}): Protection {
  const allowed = readNetworks(allow);
  const blocked = readNetworks(block);
  const mayCall = (address: string) =>
    !contains(blocked, address) && (allow.length === 0 || contains(allowed, address));
  return {
    place: "ip-access",
    start: () => ({
      check: ({ remoteAddress }) =>
        !enabled || mayCall(remoteAddress)
          ? "next"
          : new GatewayError(403, "Access from this IP has been disallowed", { reason: "ip_address" }),
    }),
  };
}

function readNetworks(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", prefix] = text.split("/", 2);
    const family = familyOf(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const isWhole =
      bits === undefined || (/^\d{1,3}$/.test(prefix ?? "") && bits <= (family === "ipv4" ? 32 : 128));
    if (family === undefined || !isWhole) {
      throw new EnvironmentError([`ipAccessControl: an entry is neither an address nor a network`]);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, bits, family);
  }
  return list;
}

/** An address that is none is in no list, so that it is not allowed where only some are. */
function contains(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && list.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : undefined;
}
