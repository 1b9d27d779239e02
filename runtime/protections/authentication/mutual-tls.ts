// Callers known by the certificate of their connection: `type: mutualTLS`.

import type { X509Certificate } from "node:crypto";
import { fingerprintOf, isCurrent, readAllowedCertificates } from "./certificates/allowed-certificates.ts";
import { disallowed } from "./decide.ts";
import { type Authentication, type AuthenticationMethod, renewable } from "./method.ts";
import { createOwner, createOwnerSessions } from "./tokens/token-owner.ts";

export interface MutualTlsOptions {
  /** As of `server.clientCertificates`; certificates of keys are let in besides. */
  readonly allowlist?: readonly string[];
  /** What a client with a certificate of the list may do; with none, everything. */
  readonly defaultPolicies?: readonly string[];
}

/**
 * Lets in clients that show a certificate that is listed, each a caller of its own, and whose fingerprint is the `key_hash` of a
 * key, which then says what it may do. Such a hash opens nothing else: it is that of bytes no header can hold, as they are
 * no UTF-8.
 */
export function mutualTls({ allowlist = [], defaultPolicies = [] }: MutualTlsOptions): AuthenticationMethod {
  const isAllowed = readAllowedCertificates(allowlist);
  return {
    identity: "custom_auth",
    accepts: { kind: "mutualTLS" },
    start({ keys }) {
      const sessions = createOwnerSessions(keys);

      async function judge(certificate: X509Certificate): Promise<Authentication> {
        const expires = certificate.validToDate.getTime();
        const key = isCurrent(certificate) ? await keys?.findKey(fingerprintOf(certificate)) : undefined;
        if (key !== undefined) return { session: key.session, metadata: key.session.metadata, expires };
        if (!isAllowed(certificate)) return disallowed();
        if (defaultPolicies.length === 0) return { expires };
        const record = { apply_policies: defaultPolicies };
        const session = await sessions(createOwner(["certificate", fingerprintOf(certificate)], record));
        return session === undefined ? disallowed() : { session, metadata: session.metadata, expires };
      }

      return {
        sources: {},
        async authenticate({ certificate: shown }) {
          const certificate = shown?.x509;
          return certificate && renewable(() => judge(certificate));
        },
      };
    },
  };
}
