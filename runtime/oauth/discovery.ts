// What the gateway says of itself as a server of tokens (RFC 8414).

import { GatewayError } from "../errors.ts";
import type { Call, StepResult } from "../http/call.ts";

/** Its name below `/.well-known/` (RFC 8414, section 3). */
export const discoveryName = "oauth-authorization-server";

/**
 * Answers with the metadata of the server. Its issuer is the address that the request was sent to, as trusted proxies name
 * it, since that is where clients reach the endpoints.
 */
export function describeServer({ url, verb, transport }: Call, hasRefresh: boolean): StepResult {
  if ((verb !== "GET" && verb !== "HEAD") || transport.kind !== "http")
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  const text = JSON.stringify(metadataOf(url.origin, hasRefresh));
  transport.response
    .writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .end(verb === "HEAD" ? undefined : text);
  return "done";
}

/** RFC 8414, section 2. Without an authorization endpoint there is no type of response, and the list has to be there. */
function metadataOf(issuer: string, hasRefresh: boolean): Readonly<Record<string, unknown>> {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials", ...(hasRefresh ? ["refresh_token"] : [])],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
  };
}
