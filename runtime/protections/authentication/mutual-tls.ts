// Callers authenticated by the certificate of their connection: `type: mutualTLS`.

import type { X509Certificate } from "node:crypto";
import { fingerprintOf, isCurrent, readAllowedCertificates } from "./certificates/allowed-certificates.ts";
import { disallowed } from "./decide.ts";
import { type Authentication, type AuthenticationMethod, renewable } from "./method.ts";
import { createOwner, createOwnerSessions } from "./tokens/token-owner.ts";

export interface MutualTlsOptions {
  /** Accepted certificates, as in `server.clientCertificates`; certificates of keys are accepted in addition. */
  readonly allowlist?: readonly string[];
  /** The policies of a client with a listed certificate; with none it may do everything. */
  readonly defaultPolicies?: readonly string[];
}

/**
 * Admits clients with a listed certificate, each as a separate caller, and clients whose certificate's fingerprint is
 * the `key_hash` of a key, with the rights of that key. Such a hash admits nothing else: the bytes that it is the
 * hash of cannot appear in a header, as they are not UTF-8.
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
