// Splits URLs and form text like the library of the reference engine: nothing is normalised, and raw parts are kept
// only if decoding loses information.

import { isIP } from "node:net";
import { MappingError } from "../errors.ts";
import type { ObjectValue, Value } from "../message/value.ts";
import { percentEncode } from "../text/percent.ts";
import { quoteText } from "../text/quoting.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { pluginText, spelledTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";

type Part = "path" | "user" | "host" | "zone" | "query" | "fragment";

/** `.parse_url()` */
export function parseUrl(target: Value, from: string): Value {
  const text = spelledTarget(target, from);
  const hash = text.indexOf("#");
  const before = hash < 0 ? text : text.slice(0, hash);
  const address = namingUrl(before, from, () => splitAddress(before));
  const rawFragment = hash < 0 ? "" : text.slice(hash + 1);
  const fragment = namingUrl(text, from, () => percentDecode(rawFragment, "fragment"));
  const keptFragment = percentEncode(fragment, keptCharacters.fragment) === rawFragment ? "" : rawFragment;
  return { ...address, fragment, raw_fragment: keptFragment };
}

/** Runs `read`, and names in its failures the text that it reads. */
function namingUrl<T>(text: string, from: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MappingError) throw failedOn(from, `parse ${quoteText(text)}: ${error.message}`);
    throw error;
  }
}

/** `.parse_form_url_encoded()`: a key that occurs once has a text, a repeated key an array. */
export function parseFormUrlEncoded(target: Value, _from: string): Value {
  const text = pluginText(target);
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    try {
      if (pair.includes(";")) throw new MappingError("invalid semicolon separator in query");
      const equals = pair.indexOf("=");
      const key = percentDecode(equals < 0 ? pair : pair.slice(0, equals), "query");
      const value = equals < 0 ? "" : percentDecode(pair.slice(equals + 1), "query");
      const known = values.get(key);
      if (known === undefined) values.set(key, [value]);
      else known.push(value);
    } catch (error) {
      if (!(error instanceof MappingError)) throw error;
      throw new MappingError(`failed to parse value as url-encoded data: ${error.message}`);
    }
  }
  return Object.fromEntries(Array.from(values, ([key, all]) => [key, all.length > 1 ? all : (all[0] ?? "")]));
}

function splitAddress(text: string): ObjectValue {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are refused
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new MappingError("net/url: invalid control character in URL");
  const { scheme, rest: afterScheme } = splitScheme(text);
  const query = afterScheme.indexOf("?");
  const rest = query < 0 ? afterScheme : afterScheme.slice(0, query);
  const found = { scheme, opaque: "", host: "", path: "", raw_path: "", raw_query: "" };
  if (query >= 0) found.raw_query = afterScheme.slice(query + 1);
  if (text === "*") return { ...found, path: "*" };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...found, opaque: rest };
    if ((rest.split("/")[0] ?? "").includes(":"))
      throw new MappingError("first path segment in URL cannot contain colon");
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  if (!hasAuthority) return { ...found, ...splitPath(rest) };
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return { ...found, ...splitAuthority(scheme, authority), ...splitPath(slash < 0 ? "" : rest.slice(slash)) };
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  const colon = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text);
  if (colon !== null)
    return { scheme: colon[0].slice(0, -1).toLowerCase(), rest: text.slice(colon[0].length) };
  if (text.startsWith(":")) throw new MappingError("missing protocol scheme");
  return { scheme: "", rest: text };
}

function splitPath(raw: string): { readonly path: string; readonly raw_path: string } {
  const path = percentDecode(raw, "path");
  return { path, raw_path: percentEncode(path, keptCharacters.path) === raw ? "" : raw };
}

function splitAuthority(
  scheme: string,
  authority: string,
): { readonly host: string; readonly user?: ObjectValue } {
  const at = authority.lastIndexOf("@");
  const host = splitHost(scheme, authority.slice(at + 1));
  if (at < 0) return { host };
  const info = authority.slice(0, at);
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(info)) throw new MappingError("net/url: invalid userinfo");
  const colon = info.indexOf(":");
  if (colon < 0) return { host, user: { name: percentDecode(info, "user") } };
  const name = percentDecode(info.slice(0, colon), "user");
  return { host, user: { name, password: percentDecode(info.slice(colon + 1), "user") } };
}

function splitHost(scheme: string, host: string): string {
  if (host.lastIndexOf("[") > 0) throw new MappingError("invalid IP-literal");
  if (!host.startsWith("[")) {
    // Other schemes have lists of hosts with their ports.
    const isWeb = scheme === "http" || scheme === "https";
    const port = isWeb ? host.indexOf(":") : host.lastIndexOf(":");
    if (port >= 0) checkPort(host.slice(port));
    return percentDecode(host, "host");
  }
  const close = host.lastIndexOf("]");
  if (close < 0) throw new MappingError("missing ']' in host");
  checkPort(host.slice(close + 1));
  const end = percentDecode(host.slice(close), "host");
  const inner = host.slice(1, close);
  const zone = inner.indexOf("%25");
  const address =
    zone < 0
      ? percentDecode(inner, "host")
      : percentDecode(inner.slice(0, zone), "host") + percentDecode(inner.slice(zone), "zone");
  checkAddress(address);
  return `[${address}${end}`;
}

/** Fails unless an address in brackets is IPv6. Its zone, after a percent sign, is any text. */
function checkAddress(address: string): void {
  const zone = address.indexOf("%");
  const version = isIP(zone < 0 ? address : address.slice(0, zone));
  if (version === 4 && zone < 0) throw new MappingError("invalid IP-literal");
  if (version !== 6 || zone === address.length - 1)
    throw new MappingError(`invalid host: ParseAddr(${quoteText(address)}): unable to parse IP`);
}

function checkPort(port: string): void {
  if (port !== "" && !/^:[0-9]*$/.test(port))
    throw new MappingError(`invalid port ${quoteText(port)} after host`);
}

/** Decodes percent escapes. Keeps bytes that are not UTF-8. */
function percentDecode(text: string, part: Part): string {
  const refused = part === "host" ? /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/ : undefined;
  const fault = refused?.exec(text)?.[0];
  if (fault !== undefined) throw new MappingError(`invalid character ${quoteText(fault)} in host name`);
  const spaced = part === "query" ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  const bytes: Uint8Array[] = [];
  let start = 0;
  for (let at = spaced.indexOf("%"); at >= 0; at = spaced.indexOf("%", start)) {
    const code = spaced.slice(at, at + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(code)) throw new MappingError(`invalid URL escape ${quoteText(code)}`);
    // In host names, only bytes beyond ASCII and the percent sign of a zone may be escaped.
    if (part === "host" && Number.parseInt(code.charAt(1), 16) < 8 && code !== "%25")
      throw new MappingError(`invalid URL escape ${quoteText(code)}`);
    bytes.push(encodeUtf8(spaced.slice(start, at)), Uint8Array.of(Number.parseInt(code.slice(1), 16)));
    start = at + 3;
  }
  bytes.push(encodeUtf8(spaced.slice(start)));
  return decodeUtf8(Buffer.concat(bytes));
}

/** The characters that the standard escaping of a part keeps. A part that is escaped otherwise is kept raw as well. */
export const keptCharacters = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
} as const;
