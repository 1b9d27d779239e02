// Addresses that may call an API: `server.ipAccessControl`.

import { GatewayError } from "../errors.ts";
import { holdsAddress, readNetworks } from "../process/networks.ts";
import type { Protection } from "../protection.ts";

/** The `ipAccessControl` block; addresses (`10.1.2.3`, `::1`) or networks (`10.0.0.0/8`). */
export interface IpAccessBlock {
  /** Without it the block applies. */
  readonly enabled?: boolean;
  /** Only these may call; with an empty list none may. */
  readonly allow?: readonly string[];
  /** These may not, whatever `allow` says. */
  readonly block?: readonly string[];
}

/**
 * Refuses with 403 callers from an address that is blocked, or not among those allowed. Throws an
 * `EnvironmentError` for an entry that is not an address.
 */
export function ipAccess({ enabled = true, allow, block = [] }: IpAccessBlock = {}): Protection {
  const allowed = readNetworks(allow ?? [], "ipAccessControl");
  const blocked = readNetworks(block, "ipAccessControl");
  const mayCall = (address: string) =>
    !holdsAddress(blocked, address) && (allow === undefined || holdsAddress(allowed, address));
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
