// Lists of addresses and networks, such as allowed clients and trusted proxies.

import { BlockList, isIP } from "node:net";
import { EnvironmentError } from "./environment.ts";

/**
 * Parses addresses (`10.1.2.3`, `::1`) and networks (`10.0.0.0/8`). Throws an `EnvironmentError` that names `field`
 * if an entry is neither.
 */
export function readNetworks(texts: readonly string[], field: string): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", prefix] = text.split("/", 2);
    const family = familyOf(address);
    const bits = prefix === undefined ? undefined : Number(prefix);
    const isWhole =
      bits === undefined || (/^\d{1,3}$/.test(prefix ?? "") && bits <= (family === "ipv4" ? 32 : 128));
    if (family === undefined || !isWhole) {
      throw new EnvironmentError([`${field}: an entry is neither an address nor a network`]);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, bits, family);
  }
  return list;
}

/** Whether `address` is in the list; false for text that is not an address. */
export function holdsAddress(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && list.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : undefined;
}
