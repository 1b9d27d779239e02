// Keys that prove themselves otherwise than by being sent: by signatures of requests, and by certificates.

import { X509Certificate } from "node:crypto";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal } from "../../rest/answers.ts";
import {
  type CertificateSubject,
  type ClientAuthority,
  isSigningRequest,
} from "../certificates/client-authority.ts";
import type { NewKey } from "./credentials.ts";

const pemCertificate = /^\s*-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/;

/** A new key that signs requests: its name, which each of them bears, and its secret. */
export function createRequestSigner(): NewKey {
  const [name, secret] = [createToken(), createToken()];
  const id = hashKey(name);
  return {
    id,
    userName: null,
    record: { key_hash: id, hmac_secret: secret },
    answer: { RawKey: name, Password: secret },
  };
}

/**
 * A key that a certificate stands for, by its SHA-256 fingerprint: the one in PEM, or the one that the authority signs where
 * `pem` is a request for one. Throws a `refusal` (400) for what no client can show.
 */
export function createCertificateKey(
  pem: string,
  authority: ClientAuthority | undefined,
  subject: CertificateSubject,
): NewKey {
  if (authority !== undefined && isSigningRequest(pem)) {
    const { pem: signed, fingerprint: id, expires } = authority.sign(pem, subject);
    const answer = { RawKey: id, Password: "", certificate: signed };
    return { id, userName: null, record: { key_hash: id, expires }, answer };
  }
  const certificate = readCertificate(pem);
  if (certificate.ca) throw refusal(400, "`certificate` is that of an authority, not of a client.");
  const now = Date.now();
  if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime())
    throw refusal(400, "`certificate` does not hold now.");
  const id = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  return { id, userName: null, record: { key_hash: id }, answer: { RawKey: id, Password: "" } };
}

function readCertificate(pem: string): X509Certificate {
  if (pem.trim() === "") throw refusal(400, "`certificate` is missing: the API asks for certificates.");
  if (isSigningRequest(pem))
    throw refusal(400, "`certificate` is a request to be signed, and no authority is configured to sign it.");
  if (!pemCertificate.test(pem)) throw refusal(400, "`certificate` is not one certificate in PEM.");
  try {
    return new X509Certificate(pem);
  } catch {
    throw refusal(400, "`certificate` is not one certificate in PEM.");
  }
}
