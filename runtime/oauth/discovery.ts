// What the gateway says of itself as a server of tokens (RFC 8414).

import { GatewayError } from "../errors.ts";
import type { Call, StepResult } from "../http/call.ts";
import { deviceGrant } from "./token-endpoint.ts";

/** Its name below `/.well-known/` (RFC 8414, section 3). */
export const discoveryName = "oauth-authorization-server";

/** Grants that not every server offers. */
export interface OfferedGrants {
  readonly hasRefresh: boolean;
  /** Authorization codes. */
  readonly hasCodes: boolean;
  /** Codes of devices. */
  readonly hasDevices: boolean;
}

/**
 * Answers with the metadata of the server. Its issuer is the address that the request was sent to, as trusted proxies name
 * it, since that is where clients reach the endpoints.
 */
export function describeServer({ url, verb, transport }: Call, grants: OfferedGrants): StepResult {
  if ((verb !== "GET" && verb !== "HEAD") || transport.kind !== "http")
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  const text = JSON.stringify(metadataOf(url.origin, grants));
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

/** RFC 8414, section 2. The list of types of response has to be there, also without an authorization endpoint. */
function metadataOf(
  issuer: string,
  { hasRefresh, hasCodes, hasDevices }: OfferedGrants,
): Readonly<Record<string, unknown>> {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    ...(hasCodes && {
      authorization_endpoint: `${issuer}/oauth/authorize`,
      code_challenge_methods_supported: ["S256"],
      response_modes_supported: ["query"],
      authorization_response_iss_parameter_supported: true,
    }),
    ...(hasDevices && { device_authorization_endpoint: `${issuer}/oauth/device_authorization` }),
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: hasCodes ? ["code"] : [],
    grant_types_supported: [
      ...(hasCodes ? ["authorization_code"] : []),
      "client_credentials",
      ...(hasRefresh ? ["refresh_token"] : []),
      ...(hasDevices ? [deviceGrant] : []),
    ],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
  };
}
