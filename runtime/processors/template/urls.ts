// Functions on URLs and paths.

import { keptCharacters, parseUrl } from "../../mapping/url.ts";
import { isObject, type Value } from "../../message/value.ts";
import { percentEncode } from "../../text/percent.ts";
import { trimmedEnd } from "../../text/trim.ts";
import { Dict, failure, kindName } from "./values.ts";

const fieldOf = (value: Value, key: string): string => {
  const field = isObject(value) && Object.hasOwn(value, key) ? value[key] : "";
  return typeof field === "string" ? field : "";
};

export function urlParse(text: string): Dict {
  const parsed = parseUrl(text, "");
  const host = fieldOf(parsed, "host");
  return new Dict([
    ["scheme", fieldOf(parsed, "scheme")],
    ["host", host],
    ["hostname", hostnameOf(host)],
    ["path", fieldOf(parsed, "path")],
    ["query", fieldOf(parsed, "raw_query")],
    ["opaque", fieldOf(parsed, "opaque")],
    ["fragment", fieldOf(parsed, "fragment")],
    ["userinfo", userInfo(isObject(parsed) ? (parsed.user ?? null) : null)],
  ]);
}

/** Returns a host without its port and without brackets. */
function hostnameOf(host: string): string {
  const name = host.replace(/:[0-9]*$/, "");
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}

function userInfo(user: Value): string {
  if (!isObject(user)) return "";
  const name = escapedUser(fieldOf(user, "name"));
  return Object.hasOwn(user, "password") ? `${name}:${escapedUser(fieldOf(user, "password"))}` : name;
}

function escapedUser(text: string): string {
  return percentEncode(text, /[A-Za-z0-9\-_.~$&+,;=]/);
}

/** Returns the URL of a dictionary with the keys that `urlParse` returns. */
export function urlJoin(parts: Dict | null): string {
  const part = (key: string): string => {
    const value = parts?.get(key);
    if (value === undefined) return "";
    if (typeof value !== "string")
      throw failure(`the key \`${key}\` has to be a text, not a ${kindName(value)}`);
    return value;
  };
  const [scheme, host, query, opaque, fragment] = ["scheme", "host", "query", "opaque", "fragment"].map(part);
  const info = part("userinfo");
  const user = info === "" ? "" : `${userInfo(userOf(info))}@`;
  const path = percentEncode(part("path"), keptCharacters.path);
  const lead = scheme === "" ? "" : `${scheme}:`;
  const isNamed = host !== "" || user !== "";
  const slashes = isNamed || (scheme !== "" && path !== "") ? "//" : "";
  const authority = `${slashes}${user}${percentEncode(host ?? "", /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u00ff]/)}`;
  const joint = path !== "" && !path.startsWith("/") && host !== "" ? "/" : "";
  const before = lead + (opaque === "" ? authority + joint : "");
  const isRelative = before === "" && (path.split("/")[0] ?? "").includes(":");
  const address = before + (opaque === "" ? `${isRelative ? "./" : ""}${path}` : (opaque ?? ""));
  const rest = fragment === "" ? "" : `#${percentEncode(fragment ?? "", keptCharacters.fragment)}`;
  return `${address}${query === "" ? "" : `?${query}`}${rest}`;
}

function userOf(info: string): Value {
  const parsed = parseUrl(`proto://${info}@host`, "");
  return isObject(parsed) ? (parsed.user ?? null) : null;
}

/** Returns the last element of a path. */
export function base(path: string): string {
  if (path === "") return ".";
  const trimmed = trimmedEnd(path, "/");
  return trimmed === "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** Returns a path without its last element. */
export function dir(path: string): string {
  return clean(path.slice(0, path.lastIndexOf("/") + 1));
}

/** Returns the shortest path for the same file. */
export function clean(path: string): string {
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push("..");
  }
  const joined = kept.join("/");
  return isRooted ? `/${joined}` : joined === "" ? "." : joined;
}

/** Returns the extension of the last element of a path, with its dot. */
export function ext(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") ? path.slice(dot) : "";
}

export function isAbs(path: string): boolean {
  return path.startsWith("/");
}
