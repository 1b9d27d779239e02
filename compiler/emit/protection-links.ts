// The functions of the runtime that create protections. A test verifies that each row is a real export.

import type { MethodName, ProtectionName, RuntimeLink } from "../plan/plan.ts";

/** Protections by their name in plans. */
export const protectionLinks: Readonly<Record<ProtectionName, RuntimeLink>> = {
  access_rights: { module: "runtime/protections/access-rights.ts", symbol: "accessRights" },
  authentication: {
    module: "runtime/protections/authentication/authentication.ts",
    symbol: "authentication",
  },
  expiration: { module: "runtime/protections/expiration.ts", symbol: "expiration" },
  ip_access: { module: "runtime/protections/ip-access.ts", symbol: "ipAccess" },
  client_certificates: { module: "runtime/protections/client-certificates.ts", symbol: "clientCertificates" },
  request_size: { module: "runtime/protections/request-size.ts", symbol: "requestSizeLimit" },
  rate_limits: { module: "runtime/protections/rate-limits.ts", symbol: "rateLimits" },
  connection_limits: { module: "runtime/protections/connection-limits.ts", symbol: "connectionLimit" },
  message_limits: { module: "runtime/protections/message-limits.ts", symbol: "messageRateLimit" },
  request_validation: {
    module: "runtime/protections/validation/request-validation.ts",
    symbol: "requestValidation",
  },
};

/** Authentication methods by their name in plans. */
export const methodLinks: Readonly<Record<MethodName, RuntimeLink>> = {
  "auth-token": { module: "runtime/protections/authentication/auth-token.ts", symbol: "authToken" },
  basic: { module: "runtime/protections/authentication/basic.ts", symbol: "basic" },
  jwt: { module: "runtime/protections/authentication/jwt.ts", symbol: "jwt" },
  "jwt-of-keys": { module: "runtime/protections/authentication/jwt-of-keys.ts", symbol: "jwtOfKeys" },
  introspection: { module: "runtime/protections/authentication/introspection.ts", symbol: "introspection" },
  "open-id-connect": {
    module: "runtime/protections/authentication/open-id-connect.ts",
    symbol: "openIdConnect",
  },
  "access-token": { module: "runtime/protections/authentication/access-token.ts", symbol: "accessToken" },
  "signed-requests": {
    module: "runtime/protections/authentication/signed-requests.ts",
    symbol: "signedRequests",
  },
  "mutual-tls": { module: "runtime/protections/authentication/mutual-tls.ts", symbol: "mutualTls" },
};
