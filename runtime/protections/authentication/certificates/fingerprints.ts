// Certificates of clients by their fingerprints.

import type { X509Certificate } from "node:crypto";

/** SHA-256 of the whole certificate, 64 hexadecimal digits in lower case. */
export function fingerprintOf(certificate: X509Certificate): string {
  return normalFingerprint(certificate.fingerprint256);
}

/** A fingerprint as it is compared: `AB:CD…` as `abcd…`. */
export function normalFingerprint(text: string): string {
  return text.replaceAll(/[:\s]/g, "").toLowerCase();
}
