// Decides which pages may open WebSockets.

import type { CorsPolicy, SocketExchange } from "../component/endpoint.ts";

type Handshake = Pick<SocketExchange, "request" | "url">;

/**
 * Whether the page that opens a WebSocket may do so. Clients other than browsers send no `Origin` and may. Without
 * `allowed` origins, only pages of the host that they connect to may, which a trusted proxy names if there is one; `*`
 * admits all.
 */
export function isOriginAllowed({ request, url }: Handshake, allowed: readonly string[]): boolean {
  const { origin } = request.headers;
  if (origin === undefined || allowed.includes("*")) return true;
  const page = URL.parse(origin);
  if (page === null) return false;
  if (allowed.length > 0) return allowed.some((each) => URL.parse(each)?.origin === page.origin);
  return URL.parse(`${page.protocol}//${url.host}`)?.host === page.host;
}

/** Like `isOriginAllowed`, by the CORS policy of an endpoint if it has one. */
export function isPageAllowed(handshake: Handshake, policy: CorsPolicy | undefined): boolean {
  const { origin } = handshake.request.headers;
  if (policy === undefined || origin === undefined) return isOriginAllowed(handshake, []);
  return policy.allows(origin) || isOriginAllowed(handshake, []);
}
