// Which certificates are accepted: those listed, and those that a listed authority has issued.

import { X509Certificate } from "node:crypto";
import { EnvironmentError } from "../../../process/environment.ts";

/** What extended key usage calls a client of TLS (RFC 5280, section 4.2.1.12). */
const clientAuthentication = "1.3.6.1.5.5.7.3.2";
const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a list of fingerprints (SHA-256) and of certificates in PEM, one or several in a text: a certificate of an
 * authority stands for those that it signed itself, any other for itself. Throws an `EnvironmentError` for what is
 * neither.
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
  // The same certificate comes with every request of a connection; its signature stays what it is.
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
    // Said below, for all that is not a certificate.
  }
  throw new EnvironmentError([
    "a certificate that is allowed is neither a fingerprint (SHA-256) nor a certificate in PEM",
  ]);
}

/** Chains are not followed: an authority between is listed itself. */
function isIssuedBy(authority: X509Certificate, certificate: X509Certificate): boolean {
  return (
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey) &&
    // Absent: for any use.
    (certificate.keyUsage as readonly string[] | undefined)?.includes(clientAuthentication) !== false
  );
}

/** Whether a certificate holds now. */
export function isCurrent({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = Date.now();
  return validFromDate.getTime() <= now && now <= validToDate.getTime();
}

/** SHA-256 of the whole certificate, 64 hexadecimal digits in lower case. */
export function fingerprintOf(certificate: X509Certificate): string {
  return normalFingerprint(certificate.fingerprint256);
}

/** A fingerprint as it is compared: `AB:CD…` as `abcd…`. */
function normalFingerprint(text: string): string {
  return text.replaceAll(/[:\s]/g, "").toLowerCase();
}
