// Signs client certificates with an authority that the operator configures (RFC 5280), for requests in PKCS #10 (RFC
// 2986). A request provides the key to be certified and proves that the sender has the private key. Every certificate
// has the same profile: a random serial number, the developer as its subject, TLS client use, and nothing that the
// request specifies.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
  X509Certificate,
} from "node:crypto";
import { EnvironmentError } from "../../process/environment.ts";
import { refusal } from "../../rest/answers.ts";
import type { CertificateSubject, ClientAuthority } from "./client-authority.ts";
import {
  der,
  encodeBits,
  encodeDer,
  encodeIdentifier,
  encodeNumber,
  encodeTime,
  readDer,
  taggedBy,
} from "./der.ts";

/** The maximum length of a request in PEM, in characters: an RSA key of 16384 bits fits. */
const longest = 16_384;

const pemRequest =
  /^\s*-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----\s*$/;

/** Digests of the supported signatures, by the DER-encoded object identifier of their algorithm. */
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
 * Returns the public key of a request in PEM as `SubjectPublicKeyInfo`. Ignores the name and the extensions in the
 * request. Throws a `refusal` (400) if `pem` is not a certificate request, is signed by a key other than its own, or
 * has a key that is too weak.
 */
function readSigningRequest(pem: string): Buffer {
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

/** Splits a request into the signed part, its key, the algorithm and the signature (RFC 2986, section 4). */
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
      // The first byte is the number of unused bits.
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
    return false; // the signature does not match the type of the key
  }
}

/** The `client_authority` block of a portal. */
export interface ClientAuthorityOptions {
  /** PEM. */
  readonly certificate: string;
  /** PEM, not encrypted. */
  readonly key: string;
  /** Milliseconds that a certificate is valid for, unless the authority's certificate expires earlier. */
  readonly validity?: number;
}

const usualValidity = 365 * 24 * 3_600_000;
/** Certificates are valid from shortly before they are signed, because clocks differ. */
const clockSkew = 300_000;
/** The maximum number of characters in a part of a name (RFC 5280, appendix A.1). */
const longestName = 64;

/** Reads the authority. Throws an `EnvironmentError` if it cannot sign client certificates. */
export function clientAuthority(options: ClientAuthorityOptions): ClientAuthority {
  const { validity = usualValidity } = options;
  const authority = readAuthority(options.certificate);
  const key = readPrivateKey(options.key, authority);
  const { digest, algorithm } = signingOf(key);
  const { subject: issuer, keyIdentifier } = namesOf(authority);
  return {
    sign(request, subject) {
      const keyInfo = readSigningRequest(request);
      const now = Date.now();
      if (authority.validToDate.getTime() <= now)
        throw refusal(503, "The authority that signs certificates has expired.");
      const until = Math.min(now + validity, authority.validToDate.getTime());
      const signed = encodeDer(
        der.sequence,
        encodeDer(taggedBy(0), encodeNumber(Buffer.from([2]))),
        encodeNumber(createSerial()),
        algorithm,
        issuer,
        encodeDer(der.sequence, encodeTime(new Date(now - clockSkew)), encodeTime(new Date(until))),
        encodeName(subject),
        keyInfo,
        encodeDer(taggedBy(3), encodeExtensions(keyInfo, keyIdentifier)),
      );
      const bytes = encodeDer(der.sequence, signed, algorithm, encodeBits(sign(digest, signed, key)));
      return {
        pem: new X509Certificate(bytes).toString(),
        fingerprint: createHash("sha256").update(bytes).digest("hex"),
        expires: Math.floor(until / 1000),
      };
    },
  };
}

/** Returns 127 random bits: a positive number that is unique in practice (RFC 5280, section 4.1.2.2). */
function createSerial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function readAuthority(pem: string): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    throw new EnvironmentError(["`client_authority.certificate` is not a certificate in PEM"]);
  }
  if (!certificate.ca)
    throw new EnvironmentError(["`client_authority.certificate` is not that of an authority (CA:TRUE)"]);
  if (certificate.validToDate.getTime() <= Date.now())
    throw new EnvironmentError(["`client_authority.certificate` has expired"]);
  return certificate;
}

function readPrivateKey(pem: string, authority: X509Certificate): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new EnvironmentError(["`client_authority.key` is not a private key in PEM without a password"]);
  }
  if (!authority.checkPrivateKey(key))
    throw new EnvironmentError(["`client_authority.key` is not the key of `client_authority.certificate`"]);
  return key;
}

/** Returns the signature algorithm of the authority, by the type of its key. */
function signingOf({ asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve = "" } = {} }: KeyObject): {
  readonly digest: string | null;
  readonly algorithm: Buffer;
} {
  const nothing = encodeDer(0x05);
  if (type === "rsa") return { digest: "sha256", algorithm: algorithmOf("1.2.840.113549.1.1.11", nothing) };
  if (type === "ed25519") return { digest: null, algorithm: algorithmOf("1.3.101.112") };
  if (type === "ec" && namedCurve === "prime256v1")
    return { digest: "sha256", algorithm: algorithmOf("1.2.840.10045.4.3.2") };
  if (type === "ec" && namedCurve === "secp384r1")
    return { digest: "sha384", algorithm: algorithmOf("1.2.840.10045.4.3.3") };
  if (type === "ec" && namedCurve === "secp521r1")
    return { digest: "sha512", algorithm: algorithmOf("1.2.840.10045.4.3.4") };
  throw new EnvironmentError(["`client_authority.key` is neither RSA, P-256, P-384, P-521 nor Ed25519"]);
}

function algorithmOf(name: string, ...parameters: readonly Buffer[]): Buffer {
  return encodeDer(der.sequence, encodeIdentifier(name), ...parameters);
}

/** Returns the authority's subject as encoded in its certificate, and its key identifier if it has one. */
function namesOf({ raw }: X509Certificate): {
  readonly subject: Buffer;
  readonly keyIdentifier: Buffer | undefined;
} {
  const [certificate] = readDer(raw);
  const [signed] = readDer(certificate?.content ?? Buffer.alloc(0));
  const parts = readDer(signed?.content ?? Buffer.alloc(0));
  // Version, serial number, algorithm, issuer, validity, subject (RFC 5280, section 4.1).
  const subject = parts[5];
  if (parts[0]?.tag !== taggedBy(0) || subject === undefined)
    throw new EnvironmentError(["`client_authority.certificate` is not a certificate of version 3"]);
  const extensions = parts.find(({ tag }) => tag === taggedBy(3));
  const [list] = readDer(extensions?.content ?? Buffer.alloc(0));
  const name = encodeIdentifier("2.5.29.14");
  for (const { content } of readDer(list?.content ?? Buffer.alloc(0))) {
    const [identifier, ...rest] = readDer(content);
    const [value] = readDer(rest.at(-1)?.content ?? Buffer.alloc(0));
    if (identifier?.whole.equals(name) && value !== undefined)
      return { subject: subject.whole, keyIdentifier: value.content };
  }
  return { subject: subject.whole, keyIdentifier: undefined };
}

function encodeName({ name, organisation }: CertificateSubject): Buffer {
  const parts = [
    ["2.5.4.10", organisation],
    ["2.5.4.3", name],
  ] as const;
  return encodeDer(
    der.sequence,
    ...parts.map(([type, text]) =>
      encodeDer(
        der.set,
        encodeDer(
          der.sequence,
          encodeIdentifier(type),
          encodeDer(der.text, Buffer.from([...text].slice(0, longestName).join(""))),
        ),
      ),
    ),
  );
}

/** Returns the extensions of a client certificate: not a certificate authority, and for signing TLS handshakes only. */
function encodeExtensions(keyInfo: Buffer, authorityKey: Buffer | undefined): Buffer {
  const critical = Buffer.from([0x01, 0x01, 0xff]);
  const extension = (name: string, value: Buffer, ...before: readonly Buffer[]) =>
    encodeDer(der.sequence, encodeIdentifier(name), ...before, encodeDer(der.octets, value));
  const digitalSignature = encodeBits(Buffer.from([0x80]), 7);
  const clientAuthentication = encodeIdentifier("1.3.6.1.5.5.7.3.2");
  const keyIdentifier = createHash("sha256").update(keyInfo).digest().subarray(0, 20);
  return encodeDer(
    der.sequence,
    extension("2.5.29.19", encodeDer(der.sequence), critical),
    extension("2.5.29.15", digitalSignature, critical),
    extension("2.5.29.37", encodeDer(der.sequence, clientAuthentication)),
    extension("2.5.29.14", encodeDer(der.octets, keyIdentifier)),
    ...(authorityKey === undefined
      ? []
      : [extension("2.5.29.35", encodeDer(der.sequence, encodeDer(0x80, authorityKey)))]),
  );
}
