// The interface of an authority that signs client certificates, independent of its implementation.

/** The subject of a certificate. */
export interface CertificateSubject {
  /** The id of the developer. */
  readonly name: string;
  readonly organisation: string;
}

/** A signed certificate. */
export interface SignedCertificate {
  readonly pem: string;
  /** The SHA-256 digest of the certificate, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** The end of its validity, in Unix seconds. */
  readonly expires: number;
}

/** An authority that signs client certificates. */
export interface ClientAuthority {
  /** Throws a `refusal`: 400 for an invalid request, 503 once the authority has expired. */
  sign(request: string, subject: CertificateSubject): SignedCertificate;
}

/** Whether a text is a certificate request, valid or not. */
export function isSigningRequest(pem: string): boolean {
  return pem.includes("CERTIFICATE REQUEST-----");
}
