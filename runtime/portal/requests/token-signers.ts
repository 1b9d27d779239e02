// Keys that are not sent themselves: keys that sign tokens, verified with a secret, a public key or the key set of a
// developer, and keys that clients prove with request signatures or certificates.

import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { TokenSigning } from "../../keys/accepted-credentials.ts";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal } from "../../rest/answers.ts";
import {
  type CertificateSubject,
  type ClientAuthority,
  isSigningRequest,
} from "../certificates/client-authority.ts";
import type { NewKey } from "./credentials.ts";
import type { KeySetReader } from "./key-sets.ts";

const pemCertificate = /^\s*-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/;

/** Creates a key that signs requests: its name, which each request contains, and its secret. */
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
 * Creates a key for the SHA-256 fingerprint of a certificate: the certificate in `pem` or, if `pem` is a certificate
 * request, the one that the authority signs for it. Throws a `refusal` (400) if no client could present the
 * certificate.
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
    throw refusal(400, "`certificate` is not valid now.");
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

/** Whether the value of `jwt_secret` is the address of a key set. */
export function isKeySetAddress(written: string): boolean {
  return /^\s*https?:/i.test(written);
}

/** The minimum length of a secret that signs tokens, in bytes (RFC 7518, section 3.2, for HS256). */
const shortestSecret = 32;

/** The dependencies for creating a key that signs tokens. */
export interface TokenSignerContext {
  /** How the APIs of the key verify tokens; absent if that is not known. */
  readonly signings?: readonly TokenSigning[];
  readonly keySets: KeySetReader;
}

/**
 * Creates a key that signs tokens, with its name for `kid`. `written` verifies its tokens: a secret, a public key in
 * PEM, or the address of a key set. Generates a secret if `written` is empty. Rejects with a `refusal` (400) if
 * `written` cannot verify tokens.
 */
export async function createTokenSigner(
  written: string,
  { signings, keySets }: TokenSignerContext,
): Promise<NewKey> {
  const name = createToken();
  const id = hashKey(name);
  if (isKeySetAddress(written)) {
    const { url, isAllowed } = await keySets(written.trim(), signings);
    const jwt = { secret: url, ...(isAllowed && { allow_private: true }) };
    return {
      id,
      userName: null,
      record: { key_hash: id, jwt_data: jwt },
      answer: { RawKey: name, Password: "" },
    };
  }
  const made = written === "" ? createToken() : "";
  const secret = written === "" ? made : written;
  checkTokenKey(secret, made !== "", signings);
  return {
    id,
    userName: null,
    record: { key_hash: id, jwt_data: { secret } },
    answer: { RawKey: name, Password: made },
  };
}

function checkTokenKey(text: string, isMade: boolean, signings: readonly TokenSigning[] | undefined): void {
  if (!text.includes("-----BEGIN ")) {
    if (Buffer.byteLength(text) < shortestSecret)
      throw refusal(400, `\`jwt_secret\` is shorter than ${shortestSecret} bytes.`);
    if (signings?.every(({ family }) => family !== "hmac")) throw needsPublicKey(isMade, signings);
    return;
  }
  const key = readPublicKey(text);
  if (signings === undefined || signings.some((signing) => verifies(key, signing))) return;
  if (signings.every(({ family }) => family === "hmac"))
    throw refusal(400, "`jwt_secret` is a public key, and the API verifies tokens by a shared secret.");
  throw refusal(
    400,
    `\`jwt_secret\` is not a key for ${namesOf(signings)}, by which the API verifies tokens.`,
  );
}

function needsPublicKey(isMade: boolean, signings: readonly TokenSigning[]) {
  const wrong = isMade ? "is missing" : "is a secret";
  return refusal(
    400,
    `\`jwt_secret\` ${wrong}: the API verifies tokens by ${namesOf(signings)}. Send a public key in PEM, or the address of a key set.`,
  );
}

function namesOf(signings: readonly TokenSigning[]): string {
  return [...new Set(signings.flatMap(({ names }) => [...names]))].join(", ");
}

function readPublicKey(text: string): KeyObject {
  if (text.includes("PRIVATE KEY-----"))
    throw refusal(400, "`jwt_secret` is a private key; send the public one.");
  try {
    return createPublicKey(text);
  } catch {
    throw refusal(400, "`jwt_secret` is not a public key in PEM.");
  }
}

/** The minimum length of an RSA key, in bits (RFC 7518, section 3.3). */
const fewestBits = 2048;

const curves: ReadonlyMap<string | undefined, string> = /* @__PURE__ */ new Map([
  ["prime256v1", "ES256"],
  ["secp384r1", "ES384"],
  ["secp521r1", "ES512"],
]);

/** Whether a key can verify tokens by one of the algorithms. */
function verifies(
  { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} }: KeyObject,
  { names }: TokenSigning,
): boolean {
  const all = [...names];
  switch (type) {
    case "rsa":
      return modulusLength >= fewestBits && all.some((name) => /^[RP]S/.test(name));
    case "ec":
      return names.has(curves.get(namedCurve) ?? "");
    case "ed25519":
      return names.has("EdDSA") || names.has("Ed25519");
    default:
      return false;
  }
}
