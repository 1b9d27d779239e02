// Parses the addresses of Redis servers in documents.

import { GatewayError } from "../errors.ts";
import { percentDecode } from "../text/percent.ts";

/** The servers, and the login: the login of the last address applies to all of them. */
export interface RedisAddresses {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  /** The number of the database. */
  readonly db: number;
  /** Present if an address begins with `rediss://`. */
  readonly tls?: { readonly rejectUnauthorized: true };
}

/**
 * Parses comma-separated addresses. Throws a `GatewayError`, which quotes no address, since addresses may contain
 * passwords.
 */
export function parseRedisAddresses(text: string): RedisAddresses {
  const urls = text.split(/,(?=(?:rediss?|tcp):\/\/)/i).map((each) => URL.parse(each.trim()));
  const servers: { host: string; port: number }[] = [];
  let login: Omit<RedisAddresses, "servers"> = { db: 0 };
  for (const url of urls) {
    if (url === null || url.hostname === "")
      throw new GatewayError(500, "`url` is not the address of a Redis server");
    servers.push({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 6379) });
    login = {
      ...(url.username !== "" && { username: percentDecode(url.username) }),
      ...(url.password !== "" && { password: percentDecode(url.password) }),
      ...(url.protocol === "rediss:" && { tls: { rejectUnauthorized: true } }),
      db: Number(/^\/(\d+)/.exec(url.pathname)?.[1] ?? 0),
    };
  }
  return { servers, ...login };
}
