// Finds the client and the requested host of requests that come through trusted proxies.

import type { IncomingMessage } from "node:http";
import { type BlockList, isIP, isIPv6 } from "node:net";
import { holdsAddress, readNetworks } from "../../process/networks.ts";
import { connectionOrigin, type ReadOrigin, type RequestOrigin } from "../request-origin.ts";

/** One hop of a request: its address, and the scheme and host that it used. */
interface Hop {
  readonly address: string | undefined;
  readonly scheme?: string | undefined;
  readonly host?: string | undefined;
}

const idPattern = /^[\w.:+/=@-]{1,128}$/;

/**
 * Returns a function that reads `X-Forwarded-For`, `-Proto`, `-Host`, `Forwarded` (RFC 7239) and `X-Request-Id` of
 * requests whose connection comes from one of `networks`. The client is the last address outside `networks`:
 * addresses before it are only its claims. If both kinds of header exist and name different clients, one of them is
 * not from the proxy, and the request has no origin. Throws an `EnvironmentError` for an entry that is not an
 * address.
 */
export function trustedProxies(networks: readonly string[]): ReadOrigin {
  const trusted = readNetworks(networks, "trusted_proxies");
  return (request) => {
    const connection = connectionOrigin(request);
    if (!holdsAddress(trusted, connection.remoteAddress)) return connection;
    const listed = readListed(request);
    const forwarded = readForwarded(request);
    const client = findClient(listed ?? forwarded ?? [], trusted, connection);
    const other = listed && forwarded && findClient(forwarded, trusted, connection);
    if (other !== undefined && other.remoteAddress !== client.remoteAddress) return undefined;
    const id = request.headers["x-request-id"];
    return { ...client, ...(typeof id === "string" && idPattern.test(id) && { requestId: id }) };
  };
}

/** Follows the hops back from the connection, as long as they are trusted. */
function findClient(
  hops: readonly Hop[],
  trusted: BlockList,
  connection: RequestOrigin,
): Omit<RequestOrigin, "requestId"> {
  let { remoteAddress, scheme, host } = connection;
  for (const hop of hops.toReversed()) {
    if (hop.scheme === "http" || hop.scheme === "https") scheme = hop.scheme;
    host = hop.host ?? host;
    if (hop.address === undefined) break; // hidden: the hops before it are unknown
    remoteAddress = hop.address;
    if (!holdsAddress(trusted, remoteAddress)) break;
  }
  return { remoteAddress, scheme, host, certificate: connection.certificate };
}

/** Reads the headers that list one value for each hop; a single value applies to the last hop. */
function readListed({ headers }: IncomingMessage): readonly Hop[] | undefined {
  const addresses = listOf(headers["x-forwarded-for"]);
  const schemes = listOf(headers["x-forwarded-proto"]);
  const hosts = listOf(headers["x-forwarded-host"]);
  if (addresses.length + schemes.length + hosts.length === 0) return undefined;
  const valueAt = (values: readonly string[], index: number) =>
    values.length === addresses.length ? values[index] : values.at(-1);
  if (addresses.length === 0)
    return [{ address: undefined, scheme: schemes.at(-1)?.toLowerCase(), host: hosts.at(-1) }];
  return addresses.map((text, index) => ({
    address: readAddress(text),
    scheme: valueAt(schemes, index)?.toLowerCase(),
    host: valueAt(hosts, index),
  }));
}

function readForwarded({ headers }: IncomingMessage): readonly Hop[] | undefined {
  if (headers.forwarded === undefined) return undefined;
  return splitOutsideQuotes(headers.forwarded, ",").map((element) => {
    const pairs = new Map(splitOutsideQuotes(element, ";").map(readPair));
    return {
      address: readAddress(pairs.get("for") ?? ""),
      scheme: pairs.get("proto")?.toLowerCase(),
      host: pairs.get("host"),
    };
  });
}

function readPair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const value = text.slice(at + 1).trim();
  const plain = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;
  return [text.slice(0, Math.max(0, at)).trim().toLowerCase(), plain];
}

function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "\\" && isQuoted) index += 1;
    else if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === separator && !isQuoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function listOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  return [header].flat().flatMap((line) => line.split(",").map((part) => part.trim()));
}

/** Reads an address, without the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function readAddress(text: string): string | undefined {
  const [, v6, v4] = /^(?:\[([\da-fA-F:.]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text.trim()) ?? [];
  const address = v6 ?? v4 ?? text.trim();
  return isIPv6(address) ? canonicalAddress(address) : isIP(address) === 0 ? undefined : address;
}

/** Returns the canonical text of an IPv6 address (RFC 5952), so that each client has only one counter. */
function canonicalAddress(address: string): string | undefined {
  const [withoutZone = ""] = address.split("%");
  const text = URL.parse(`http://[${withoutZone}]`)?.hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(text ?? "") ?? [];
  if (high === undefined || low === undefined) return text;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}
