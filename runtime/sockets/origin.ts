// Which pages may open sockets.

import type { IncomingMessage } from "node:http";
import type { CorsPolicy } from "../component/endpoint.ts";

/**
 * Whether the page that opens a socket may. Clients that are not browsers send no `Origin` and may; without
 * `allowed` origins only pages of the host they connect to may; `*` admits all.
 */
export function isOriginAllowed(request: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || allowed.includes("*")) return true;
  const page = URL.parse(origin);
  if (page === null) return false;
  if (allowed.length > 0) return allowed.some((each) => URL.parse(each)?.origin === page.origin);
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}

/** As `isOriginAllowed`, by the policy of an endpoint where it has one. */
export function isPageAllowed(request: IncomingMessage, policy: CorsPolicy | undefined): boolean {
  const { origin } = request.headers;
  if (policy === undefined || origin === undefined) return isOriginAllowed(request, []);
  return policy.allows(origin) || isOriginAllowed(request, []);
}
