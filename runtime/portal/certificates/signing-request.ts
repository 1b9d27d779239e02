// Requests for certificates (PKCS #10, RFC 2986): whose key is to be certified, and whether the sender has its private
// half.

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { refusal } from "../../rest/answers.ts";
import { der, encodeIdentifier, readDer } from "./der.ts";

/** Characters of a request in PEM: an RSA key of 16384 bits fits. */
const longest = 16_384;
const pemRequest =
  /^\s*-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----\s*$/;

/** Digests of the signatures that are verified, by the encoded identifiers of their algorithms. */
const digests: ReadonlyMap<string, string | null> = /* @__PURE__ */ new Map(
  (
    [
      ["1.2.840.113549.1.1.11", "sha256"],
      ["1.2.840.113549.1.1.12", "sha384"],
      ["1.2.840.113549.1.1.13", "sha512"],
      ["1.2.840.10045.4.3.2", "sha256"],
      ["1.2.840.10045.4.3.3", "sha384"],
      ["1.2.840.10045.4.3.4", "sha512"],
      ["1.3.101.112", null],
    ] as const
  ).map(([name, digest]) => [encodeIdentifier(name).toString("hex"), digest]),
);

/**
 * The public key of a request in PEM as `SubjectPublicKeyInfo`. The name and the extensions that it asks for do not
 * count. Throws a `refusal` (400) for what is no such request, is signed by another key than its own, or has a key that is
 * too weak.
 */
export function readSigningRequest(pem: string): Buffer {
  const [, base64] = (pem.length <= longest ? pemRequest.exec(pem) : undefined) ?? [];
  if (base64 === undefined) throw malformed();
  const { signed, keyInfo, algorithm, signature } = takeApart(Buffer.from(base64, "base64"));
  const key = readKey(keyInfo);
  const digest = digests.get(algorithm);
  if (digest === undefined)
    throw refusal(
      400,
      "`certificate` is signed by an algorithm other than RSA or ECDSA with SHA-2, or Ed25519.",
    );
  if (!isSignedBy(key, digest, signed, signature))
    throw refusal(400, "`certificate` is not signed by the key that it holds.");
  return keyInfo;
}

function malformed() {
  return refusal(400, "`certificate` is not one certificate request in PEM.");
}

/** RFC 2986, section 4: what is signed, the algorithm, the signature; of what is signed the third part is the key. */
function takeApart(bytes: Buffer) {
  try {
    const [request, ...more] = readDer(bytes);
    if (request?.tag !== der.sequence || more.length > 0) throw malformed();
    const [info, algorithm, bits] = readDer(request.content);
    const [, , keyInfo] = readDer(info?.content ?? Buffer.alloc(0));
    const [identifier] = readDer(algorithm?.content ?? Buffer.alloc(0));
    if (info === undefined || keyInfo === undefined || identifier === undefined || bits?.tag !== der.bits)
      throw malformed();
    return {
      signed: info.whole,
      keyInfo: keyInfo.whole,
      algorithm: identifier.whole.toString("hex"),
      // Its first byte counts the bits that do not belong to it.
      signature: bits.content.subarray(1),
    };
  } catch (error) {
    throw error instanceof RangeError ? malformed() : error;
  }
}

function readKey(keyInfo: Buffer): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: keyInfo, format: "der", type: "spki" });
  } catch {
    throw malformed();
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve = "" } = {} } = key;
  const isStrong =
    (type === "rsa" && modulusLength >= 2048) ||
    (type === "ec" && ["prime256v1", "secp384r1", "secp521r1"].includes(namedCurve)) ||
    type === "ed25519";
  if (isStrong) return key;
  throw refusal(
    400,
    "`certificate` has a key other than RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519.",
  );
}

function isSignedBy(key: KeyObject, digest: string | null, signed: Buffer, signature: Buffer): boolean {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false; // a signature of another kind than the key
  }
}
