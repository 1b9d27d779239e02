// Decides which pages may open WebSockets.

import type { IncomingMessage } from "node:http";
import type { CorsPolicy } from "../component/endpoint.ts";

/**
 * Whether the page that opens a WebSocket may do so. Clients other than browsers send no `Origin` and may. Without
 * `allowed` origins, only pages of the host that they connect to may; `*` admits all.
 */
export function isOriginAllowed(request: IncomingMessage, allowed: readonly string[]): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || allowed.includes("*")) return true;
  const page = URL.parse(origin);
  if (page === null) return false;
  if (allowed.length > 0) return allowed.some((each) => URL.parse(each)?.origin === page.origin);
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}

/** Like `isOriginAllowed`, by the CORS policy of an endpoint if it has one. */
export function isPageAllowed(request: IncomingMessage, policy: CorsPolicy | undefined): boolean {
  const { origin } = request.headers;
  if (policy === undefined || origin === undefined) return isOriginAllowed(request, []);
  return policy.allows(origin) || isOriginAllowed(request, []);
}
