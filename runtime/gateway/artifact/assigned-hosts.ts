// Host names that are assigned to organisations, and the lookup of a host name's owner.

import type { HostOwner } from "../../http/router.ts";

/** Normalised host names by organisation; `*.example.com` stands for all names below `example.com`. */
export type AssignedHosts = Readonly<Record<string, readonly string[]>>;

/** A normalised name: lower case, no port, no dot at the end. */
export const assignedHost = /^(?:\*\.)?[0-9a-z_-]+(?:\.[0-9a-z_-]+)*$/;

/** Normalises a name of the settings: `*.Example.com.` becomes `*.example.com`. */
export function normaliseHost(written: string): string {
  return written.toLowerCase().replace(/\.$/, "");
}

/**
 * Returns the lookup of a host name's owner: a full name takes precedence over a pattern, and a longer pattern over
 * a shorter one. `undefined` if no name is assigned, so that no request is looked up.
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
