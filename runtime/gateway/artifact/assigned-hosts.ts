// Host names that are assigned to organisations, and whose one of them is.

import type { HostOwner } from "../../http/router.ts";

/** By organisation: host names in their normalised form; `*.example.com` stands for all names below `example.com`. */
export type AssignedHosts = Readonly<Record<string, readonly string[]>>;

/** The normalised form: lower case, no port, no dot at the end. */
export const assignedHost = /^(?:\*\.)?[0-9a-z_-]+(?:\.[0-9a-z_-]+)*$/;

/** The normalised form of a name as settings have it: `*.Example.com.` becomes `*.example.com`. */
export function normaliseHost(written: string): string {
  return written.toLowerCase().replace(/\.$/, "");
}

/**
 * Whose a host name is: the whole name counts before a pattern, and of two patterns the longer one. `undefined` where
 * nothing is assigned, so that no request is compared with it.
 */
export function hostOwner(assigned: AssignedHosts = {}): HostOwner | undefined {
  const owners = new Map<string, string>();
  for (const [organisation, names] of Object.entries(assigned))
    for (const name of names) owners.set(name, organisation);
  if (owners.size === 0) return undefined;
  return (host) => {
    const own = owners.get(host);
    if (own !== undefined) return own;
    for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
      const owner = owners.get(`*${host.slice(dot)}`);
      if (owner !== undefined) return owner;
    }
    return undefined;
  };
}
