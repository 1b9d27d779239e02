// Addresses that may call an API: `server.ipAccessControl`.

import { GatewayError } from "../errors.ts";
import { holdsAddress, readNetworks } from "../process/networks.ts";
import type { Protection } from "../protection.ts";

/** The `ipAccessControl` block; addresses (`10.1.2.3`, `::1`) or networks (`10.0.0.0/8`). */
export interface IpAccessBlock {
  /** Whether the block applies; true by default. */
  readonly enabled?: boolean;
  /** The only addresses that may call; if empty, none may. */
  readonly allow?: readonly string[];
  /** Addresses that may not call, even if `allow` contains them. */
  readonly block?: readonly string[];
}

/**
 * Refuses callers with 403 if their address is blocked or not allowed. Throws an `EnvironmentError` for an entry that
 * is not an address.
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
