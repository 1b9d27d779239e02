// Keys that prove themselves otherwise than by being sent: by signatures of requests and tokens, and by certificates.

import { createPublicKey, X509Certificate } from "node:crypto";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal } from "../../rest/answers.ts";
import type { NewKey } from "./credentials.ts";

/** Fewest bytes of a secret that signs tokens: RFC 7518, section 3.2, for HS256. */
const shortestSecret = 32;
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
 * A new key that signs tokens, with its name for `kid`. What it signs is verified by `written`, a secret or a public key in
 * PEM; where that is empty a secret is made. Throws a `refusal` (400) for what would verify nothing.
 */
export function createTokenSigner(written: string): NewKey {
  const name = createToken();
  const id = hashKey(name);
  const made = written === "" ? createToken() : "";
  const secret = written === "" ? made : readTokenSecret(written);
  return {
    id,
    userName: null,
    record: { key_hash: id, jwt_data: { secret } },
    answer: { RawKey: name, Password: made },
  };
}

function readTokenSecret(text: string): string {
  if (/^https?:/i.test(text.trim()))
    throw refusal(
      400,
      "`jwt_secret` is an address; give the public key itself, or have the document name it.",
    );
  if (!text.includes("-----BEGIN ")) {
    if (Buffer.byteLength(text) >= shortestSecret) return text;
    throw refusal(400, `\`jwt_secret\` is shorter than ${shortestSecret} bytes.`);
  }
  if (text.includes("PRIVATE KEY-----"))
    throw refusal(400, "`jwt_secret` is a private key; send the public one.");
  try {
    createPublicKey(text);
    return text;
  } catch {
    throw refusal(400, "`jwt_secret` is no public key in PEM.");
  }
}

/**
 * A key that the certificate in PEM stands for, by its SHA-256 fingerprint. Throws a `refusal` (400) for what no client can
 * show.
 */
export function createCertificateKey(pem: string): NewKey {
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
  if (pem.includes("CERTIFICATE REQUEST-----"))
    throw refusal(400, "`certificate` is a request to be signed, and no authority is configured to sign it.");
  if (!pemCertificate.test(pem)) throw refusal(400, "`certificate` is not one certificate in PEM.");
  try {
    return new X509Certificate(pem);
  } catch {
    throw refusal(400, "`certificate` is not one certificate in PEM.");
  }
}
