// Tells browsers which pages may call (Fetch standard, section 3.2); runs before authentication, as preflight requests have no credentials.

import type { ServerResponse } from "node:http";
import type { CorsPolicy } from "../component/endpoint.ts";
import { GatewayError } from "../errors.ts";
import type { Call, ChainStep, ServedApi } from "../http/call.ts";
import { discardBody } from "../http/gateway-messages.ts";
import type { FoundApi } from "../http/router.ts";
import type { Logger } from "../process/log.ts";
import type { RoutingReference } from "./routing.ts";

/**
 * Responds to preflight requests and adds CORS headers to other responses. The policy of an endpoint replaces that of
 * its API. CORS does not apply to WebSockets: their endpoint checks the origin itself.
 */
export function cors(routing: RoutingReference, log: Logger): ChainStep {
  return (call) => {
    const { router, hasCors } = routing.current;
    if (!hasCors) return "next";
    const { transport, request } = call;
    const { origin } = request.headers;
    const api = transport.kind === "http" ? router.findApi(call) : undefined;
    if (transport.kind !== "http" || api === undefined || api instanceof GatewayError) return "next";
    const method = call.verb === "OPTIONS" ? request.headers["access-control-request-method"] : undefined;
    const isPreflight = method !== undefined && origin !== undefined;
    const policy = findPolicy(api, isPreflight ? method : call.verb);
    if (policy === undefined) return "next";
    if (policy.isLogged) logRequest(log, call, policy);
    if (!isPreflight) {
      // Also without an origin: a cache may store the response and return it to a page.
      setHeaders(transport.response, policy.answer(origin ?? ""));
      return "next";
    }
    setHeaders(transport.response, policy.preflight(origin, request));
    if (policy.passesPreflights) return "next";
    discardBody(request);
    transport.response.writeHead(204, { "content-length": "0" }).end();
    return "done";
  };
}

/** Returns the policy of the endpoint that serves the request, otherwise that of the API. */
function findPolicy(api: FoundApi<ServedApi>, verb: string): CorsPolicy | undefined {
  const endpoint = api.routes?.byVerb.get(verb)?.endpoint;
  return (endpoint?.transport === "http" ? endpoint.cors : undefined) ?? api.api.cors;
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function logRequest(log: Logger, { request, verb, url }: Call, policy: CorsPolicy): void {
  const { origin } = request.headers;
  log.info("CORS", {
    verb,
    path: url.pathname,
    origin,
    allowed: origin === undefined || policy.allows(origin),
  });
}
