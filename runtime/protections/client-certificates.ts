// Certificates that callers of an API must present: `server.clientCertificates`.

import { GatewayError } from "../errors.ts";
import type { Protection } from "../protection.ts";
import { readAllowedCertificates } from "./authentication/certificates/allowed-certificates.ts";

/** The `clientCertificates` block. */
export interface ClientCertificatesBlock {
  /** Whether the block applies; true by default. */
  readonly enabled?: boolean;
  /** SHA-256 fingerprints and PEM certificates of clients or authorities; if empty, no client may call. */
  readonly allowlist?: readonly string[];
}

/**
 * Refuses clients without a certificate (401) or with one that is not listed (403). Throws an `EnvironmentError` for an
 * entry that is neither a fingerprint nor a certificate.
 */
export function clientCertificates({
  enabled = true,
  allowlist = [],
}: ClientCertificatesBlock = {}): Protection {
  const isAllowed = readAllowedCertificates(enabled ? allowlist : []);
  return {
    place: "client-certificate",
    start: () => ({
      check({ certificate: shown }) {
        if (!enabled) return "next";
        const certificate = shown?.x509;
        if (certificate === undefined)
          return new GatewayError(401, "Client TLS certificate is required", { reason: "no_certificate" });
        return isAllowed(certificate)
          ? "next"
          : new GatewayError(403, "Access to this API has been disallowed", { reason: "wrong_certificate" });
      },
    }),
  };
}
