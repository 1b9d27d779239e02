// Decides which certificates are accepted: listed ones, and those issued by a listed authority.

import { X509Certificate } from "node:crypto";
import { EnvironmentError } from "../../../process/environment.ts";

/** The extended key usage of a TLS client (RFC 5280, section 4.2.1.12). */
const clientAuthentication = "1.3.6.1.5.5.7.3.2";
const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns a check of certificates against a list of SHA-256 fingerprints and of PEM texts with one or more
 * certificates. The certificate of an authority admits those that it signed directly; any other certificate admits
 * itself. Throws an `EnvironmentError` for an entry that is neither.
 */
export function readAllowedCertificates(
  entries: readonly string[],
): (certificate: X509Certificate) => boolean {
  const fingerprints = new Set<string>();
  const authorities: X509Certificate[] = [];
  for (const entry of entries) {
    const fingerprint = normalFingerprint(entry);
    if (/^[0-9a-f]{64}$/.test(fingerprint)) fingerprints.add(fingerprint);
    else {
      for (const certificate of readPem(entry)) {
        if (certificate.ca) authorities.push(certificate);
        else fingerprints.add(fingerprintOf(certificate));
      }
    }
  }
  // Every request of a connection has the same certificate, so its issuer is cached.
  const issuers = new WeakMap<X509Certificate, X509Certificate | "none">();
  const issuerOf = (certificate: X509Certificate) => {
    const issuer =
      issuers.get(certificate) ??
      authorities.find((authority) => isIssuedBy(authority, certificate)) ??
      "none";
    issuers.set(certificate, issuer);
    return issuer;
  };
  return (certificate) => {
    if (!isCurrent(certificate)) return false;
    if (fingerprints.has(fingerprintOf(certificate))) return true;
    const issuer = issuerOf(certificate);
    return issuer !== "none" && isCurrent(issuer);
  };
}

function readPem(text: string): readonly X509Certificate[] {
  const blocks = text.match(pemBlock) ?? [];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch {
    // The error below covers this case, too.
  }
  throw new EnvironmentError([
    "a certificate that is allowed is neither a fingerprint (SHA-256) nor a certificate in PEM",
  ]);
}

/** Whether an authority issued a certificate directly. Chains are not followed: intermediates must be listed. */
function isIssuedBy(authority: X509Certificate, certificate: X509Certificate): boolean {
  return (
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    // If absent, any use is allowed.
    (certificate.keyUsage as readonly string[] | undefined)?.includes(clientAuthentication) !== false
  );
}

/** Whether a certificate is valid now. */
export function isCurrent({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = Date.now();
  return validFromDate.getTime() <= now && now <= validToDate.getTime();
}

/** Returns the SHA-256 of the whole certificate: 64 hexadecimal digits in lower case. */
export function fingerprintOf(certificate: X509Certificate): string {
  return normalFingerprint(certificate.fingerprint256);
}

/** Normalises a fingerprint for comparison: `AB:CD…` becomes `abcd…`. */
function normalFingerprint(text: string): string {
  return text.replaceAll(/[:\s]/g, "").toLowerCase();
}
