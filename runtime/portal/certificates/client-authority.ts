// Who signs certificates of clients, before anything is known of how.

/** The subject of a certificate. */
export interface CertificateSubject {
  /** Id of the developer. */
  readonly name: string;
  readonly organisation: string;
}

/** A certificate that was signed. */
export interface SignedCertificate {
  readonly pem: string;
  /** SHA-256 of it, 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Unix seconds. */
  readonly expires: number;
}

/** Signs certificates. */
export interface ClientAuthority {
  /** Throws a `refusal` (400) for a request that is of no use, (503) once the authority has expired. */
  sign(request: string, subject: CertificateSubject): SignedCertificate;
}

/** Whether a text is a request for a certificate, right or wrong. */
export function isSigningRequest(pem: string): boolean {
  return pem.includes("CERTIFICATE REQUEST-----");
}
