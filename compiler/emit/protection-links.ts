// Which function of the runtime makes which protection. A test proves that each row is a real export.

import type { ProtectionName } from "../plan/plan.ts";
import type { RuntimeLink } from "./links.ts";

/** Protections by their name in plans. */
export const protectionLinks: Readonly<Record<ProtectionName, RuntimeLink>> = {
  ip_access: { module: "runtime/protections/ip-access.ts", symbol: "ipAccess" },
  client_certificates: { module: "runtime/protections/client-certificates.ts", symbol: "clientCertificates" },
  request_size: { module: "runtime/protections/request-size.ts", symbol: "requestSizeLimit" },
  rate_limits: { module: "runtime/protections/rate-limits.ts", symbol: "rateLimits" },
};
