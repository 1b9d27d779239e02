// Enforces what authenticated callers may do: expiry, and access rights by API, version, path and method.

import { GatewayError } from "../errors.ts";
import type { Call } from "../http/call.ts";
import type { RequestPath } from "../http/request-path.ts";
import type { AllowedUrl, KeySession } from "../keys/session.ts";
import { findGrantedRight } from "../limits/granted-right.ts";
import type { Protection } from "../protection.ts";
import { disallowed } from "./authentication/decide.ts";

/** Refuses requests that the caller's session does not allow; callers without a session may do everything. */
export function accessRights(): Protection {
  return {
    place: "key-and-policy",
    start({ api }) {
      const readingsOf = rememberingLast(findReadings);
      const rule = (session: KeySession, call: Call) => refusalOf(session, api, call, readingsOf);
      return {
        check(call) {
          if (call.right !== undefined) call.right.rule = rule;
          return (call.caller?.session && rule(call.caller.session, call)) ?? "next";
        },
      };
    },
  };
}

/** Returns the texts of a path that an allowed URL must match, all of them. */
type ReadPath = (path: RequestPath) => readonly string[];

function refusalOf(
  session: KeySession,
  api: string,
  call: Call,
  readingsOf: ReadPath,
): GatewayError | undefined {
  if (session.isInactive)
    return new GatewayError(403, "Key is inactive, please renew", { reason: "key_inactive" });
  if (session.expires !== undefined && session.expires * 1000 <= Date.now())
    return new GatewayError(401, "Key has expired, please renew", { reason: "key_expired" });
  if (isForeign(session, call)) return disallowed();
  if (session.rights === undefined) return undefined;
  const right = findGrantedRight(session, api, call.api?.version)?.right;
  if (right === undefined) return disallowed();
  if (right.allowedUrls === undefined) return undefined;
  if (call.api !== undefined) {
    const readings = readingsOf(call.api.rest);
    for (const url of right.allowedUrls) if (allows(url, call.verb, readings)) return undefined;
  }
  return new GatewayError(403, "Access to this resource has been disallowed", { reason: "not_allowed" });
}

/** Whether the caller belongs to another organisation than the API; its access rights cannot change that. */
function isForeign({ organisation }: KeySession, { api }: Call): boolean {
  const owner = api?.api.definition.organisation;
  return owner !== undefined && organisation !== undefined && organisation !== owner;
}

function allows({ matches, methods }: AllowedUrl, verb: string, readings: readonly string[]): boolean {
  return methods?.has(verb) !== false && readings.every((reading) => matches(reading));
}

/** Remembers the result for the last path: the router has one object for a path that is requested again and again. */
function rememberingLast(read: ReadPath): ReadPath {
  let last: { readonly path: RequestPath; readonly readings: readonly string[] } | undefined;
  return (path) => {
    if (last?.path !== path) last = { path, readings: read(path) };
    return last.readings;
  };
}

/**
 * Returns the decoded path. A path that servers might read differently (with an encoded slash, repeated slashes or
 * parameters of segments) must also be allowed as sent and in that other reading.
 */
function findReadings({ segments, raw }: RequestPath): readonly string[] {
  const path = `/${segments.join("/")}`;
  const readings = [path];
  if (segments.some((segment) => segment.includes("/"))) readings.push(`/${raw.join("/")}`);
  if (path.includes("//") || path.includes(";")) readings.push(plainPath(path));
  return readings;
}

/** Returns a path without parameters of segments and without empty segments; a slash at the end stays. */
function plainPath(path: string): string {
  const segments = path.split("/").map((segment) => segment.split(";", 1)[0] ?? "");
  const kept = segments.filter((segment) => segment !== "");
  return `/${kept.join("/")}${kept.length > 0 && segments.at(-1) === "" ? "/" : ""}`;
}
