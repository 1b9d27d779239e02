// Callers known by the certificate of their connection: `type: mutualTLS`.

import { fingerprintOf, isCurrent, readAllowedCertificates } from "./certificates/allowed-certificates.ts";
import { disallowed } from "./decide.ts";
import type { AuthenticationMethod } from "./method.ts";
import { createOwner, createOwnerSessions } from "./tokens/token-owner.ts";

export interface MutualTlsOptions {
  /** As of `server.clientCertificates`; certificates of keys are let in besides. */
  readonly allowlist?: readonly string[];
  /** What whoever shows one of the list may do; with none, everything. */
  readonly defaultPolicies?: readonly string[];
}

/**
 * Lets in whoever shows a certificate that is listed, each a caller of its own, and whose fingerprint is the `key_hash` of a
 * key, which then says what it may do. Such a hash opens nothing else: it is that of bytes no header can hold, as they are
 * no UTF-8.
 */
export function mutualTls({ allowlist = [], defaultPolicies = [] }: MutualTlsOptions): AuthenticationMethod {
  const isAllowed = readAllowedCertificates(allowlist);
  return {
    identity: "custom_auth",
    start({ keys }) {
      const sessions = createOwnerSessions(keys);
      return {
        sources: {},
        async authenticate({ certificate: shown }) {
          const certificate = shown?.x509;
          if (certificate === undefined) return undefined;
          const key = isCurrent(certificate) ? await keys?.findKey(fingerprintOf(certificate)) : undefined;
          if (key !== undefined) return { session: key.session, metadata: key.session.metadata };
          if (!isAllowed(certificate)) return disallowed();
          if (defaultPolicies.length === 0) return {};
          const record = { apply_policies: defaultPolicies };
          const session = await sessions(createOwner(["certificate", fingerprintOf(certificate)], record));
          return session === undefined ? disallowed() : { session, metadata: session.metadata };
        },
      };
    },
  };
}
