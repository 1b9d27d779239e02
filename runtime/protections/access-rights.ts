// Enforces what authenticated callers may do: expiry, and access rights by API, version, path and method.

import { GatewayError } from "../errors.ts";
import type { Call } from "../http/call.ts";
import type { AllowedUrl, KeySession } from "../keys/session.ts";
import { findGrantedRight } from "../limits/granted-right.ts";
import type { Protection } from "../protection.ts";
import { disallowed } from "./authentication/decide.ts";

/** Refuses requests that the caller's session does not allow; callers without a session may do everything. */
export function accessRights(): Protection {
  return {
    place: "key-and-policy",
    start({ api }) {
      const rule = (session: KeySession, call: Call) => refusalOf(session, api, call);
      return {
        check(call) {
          if (call.right !== undefined) call.right.rule = rule;
          return (call.caller?.session && rule(call.caller.session, call)) ?? "next";
        },
      };
    },
  };
}

function refusalOf(session: KeySession, api: string, call: Call): GatewayError | undefined {
  if (session.isInactive)
    return new GatewayError(403, "Key is inactive, please renew", { reason: "key_inactive" });
  if (session.expires !== undefined && session.expires * 1000 <= Date.now())
    return new GatewayError(401, "Key has expired, please renew", { reason: "key_expired" });
  if (isForeign(session, call)) return disallowed();
  if (session.rights === undefined) return undefined;
  const right = findGrantedRight(session, api, call.api?.version)?.right;
  if (right === undefined) return disallowed();
  return right.allowedUrls === undefined || right.allowedUrls.some((url) => allows(url, call))
    ? undefined
    : new GatewayError(403, "Access to this resource has been disallowed", { reason: "not_allowed" });
}

/** Whether the caller belongs to another organisation than the API; its access rights cannot change that. */
function isForeign({ organisation }: KeySession, { api }: Call): boolean {
  const owner = api?.api.definition.organisation;
  return owner !== undefined && organisation !== undefined && organisation !== owner;
}

/**
 * Whether an allowed URL matches a request. The decoded path is compared. A path that servers might read differently
 * (with an encoded slash, repeated slashes or parameters of segments) must also be allowed as sent and in that other
 * reading.
 */
function allows({ matches, methods }: AllowedUrl, { api, verb }: Call): boolean {
  if (api === undefined || methods?.has(verb) === false) return false;
  const { segments, raw } = api.rest;
  const path = `/${segments.join("/")}`;
  if (!matches(path)) return false;
  if (segments.some((segment) => segment.includes("/")) && !matches(`/${raw.join("/")}`)) return false;
  return !path.includes("//") && !path.includes(";") ? true : matches(plainPath(path));
}

/** Returns a path without parameters of segments and without empty segments; a slash at the end stays. */
function plainPath(path: string): string {
  const segments = path.split("/").map((segment) => segment.split(";", 1)[0] ?? "");
  const kept = segments.filter((segment) => segment !== "");
  return `/${kept.join("/")}${kept.length > 0 && segments.at(-1) === "" ? "/" : ""}`;
}
