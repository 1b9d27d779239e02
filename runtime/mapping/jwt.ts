// Signs and verifies JSON Web Tokens (RFC 7519, section 7; RFC 7515, section 5) with an algorithm that the mapping names. The algorithm named in a token is only
// compared with it.

import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { MappingError } from "../errors.ts";
import { escapeHtmlCharacters, parseJsonText, printJson } from "../message/json.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { objectTarget, pluginText, textArgument } from "./arguments.ts";
import { failedWithin } from "./failures.ts";
import { float, isNumber, numeric, toFloat } from "./numeric.ts";

interface Algorithm {
  readonly name: string;
  readonly digest: "sha256" | "sha384" | "sha512";
  /** For elliptic curve keys: the curve, and the size of a signature in bytes. */
  readonly curve?: string;
  readonly size?: number;
}

const hs256: Algorithm = { name: "HS256", digest: "sha256" };
const hs384: Algorithm = { name: "HS384", digest: "sha384" };
const hs512: Algorithm = { name: "HS512", digest: "sha512" };
const rs256: Algorithm = { name: "RS256", digest: "sha256" };
const rs384: Algorithm = { name: "RS384", digest: "sha384" };
const rs512: Algorithm = { name: "RS512", digest: "sha512" };
const es256: Algorithm = { name: "ES256", digest: "sha256", curve: "prime256v1", size: 64 };
const es384: Algorithm = { name: "ES384", digest: "sha384", curve: "secp384r1", size: 96 };
const es512: Algorithm = { name: "ES512", digest: "sha512", curve: "secp521r1", size: 132 };

/** `.parse_jwt_hs256(signing_secret)`: returns the claims of a token with a valid signature that is valid now. */
export function parseJwtHs256(target: Value, _from: string, secret: Value): Value {
  return parseJwt(hs256, target, secret);
}

/** Like `parseJwtHs256`. */
export function parseJwtHs384(target: Value, _from: string, secret: Value): Value {
  return parseJwt(hs384, target, secret);
}

/** Like `parseJwtHs256`. */
export function parseJwtHs512(target: Value, _from: string, secret: Value): Value {
  return parseJwt(hs512, target, secret);
}

/** Like `parseJwtHs256`, with an RSA public key in PEM. */
export function parseJwtRs256(target: Value, _from: string, secret: Value): Value {
  return parseJwt(rs256, target, secret);
}

/** Like `parseJwtRs256`. */
export function parseJwtRs384(target: Value, _from: string, secret: Value): Value {
  return parseJwt(rs384, target, secret);
}

/** Like `parseJwtRs256`. */
export function parseJwtRs512(target: Value, _from: string, secret: Value): Value {
  return parseJwt(rs512, target, secret);
}

/** Like `parseJwtHs256`, with a public key of the curve P-256 in PEM. */
export function parseJwtEs256(target: Value, _from: string, secret: Value): Value {
  return parseJwt(es256, target, secret);
}

/** Like `parseJwtEs256`, with the curve P-384. */
export function parseJwtEs384(target: Value, _from: string, secret: Value): Value {
  return parseJwt(es384, target, secret);
}

/** Like `parseJwtEs256`, with the curve P-521. */
export function parseJwtEs512(target: Value, _from: string, secret: Value): Value {
  return parseJwt(es512, target, secret);
}

/** `.sign_jwt_hs256(signing_secret)`: returns a token with the claims. */
export function signJwtHs256(target: Value, _from: string, secret: Value): string {
  return signJwt(hs256, target, secret);
}

/** Like `signJwtHs256`. */
export function signJwtHs384(target: Value, _from: string, secret: Value): string {
  return signJwt(hs384, target, secret);
}

/** Like `signJwtHs256`. */
export function signJwtHs512(target: Value, _from: string, secret: Value): string {
  return signJwt(hs512, target, secret);
}

/** Like `signJwtHs256`, with an RSA private key in PEM. */
export function signJwtRs256(target: Value, _from: string, secret: Value): string {
  return signJwt(rs256, target, secret);
}

/** Like `signJwtRs256`. */
export function signJwtRs384(target: Value, _from: string, secret: Value): string {
  return signJwt(rs384, target, secret);
}

/** Like `signJwtRs256`. */
export function signJwtRs512(target: Value, _from: string, secret: Value): string {
  return signJwt(rs512, target, secret);
}

/** Like `signJwtHs256`, with a private key of the curve P-256 in PEM. */
export function signJwtEs256(target: Value, _from: string, secret: Value): string {
  return signJwt(es256, target, secret);
}

/** Like `signJwtEs256`, with the curve P-384. */
export function signJwtEs384(target: Value, _from: string, secret: Value): string {
  return signJwt(es384, target, secret);
}

/** Like `signJwtEs256`, with the curve P-521. */
export function signJwtEs512(target: Value, _from: string, secret: Value): string {
  return signJwt(es512, target, secret);
}

function parseJwt(algorithm: Algorithm, target: Value, secret: Value): Value {
  const call = `method 'parse_jwt_${algorithm.name.toLowerCase()}'`;
  const key = keyOf(algorithm, textArgument(call, "signing_secret", secret), "public");
  const token = pluginText(target);
  const parts = token.split(".");
  const [header = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3) throw unfit("token is malformed: token contains an invalid number of segments");
  const { alg: named } = jsonObject(header, "could not JSON decode header");
  const claims = jsonObject(payload, "could not JSON decode claim");
  if (named !== algorithm.name)
    throw unfit(
      `token is unverifiable: error while executing keyfunc: incorrect signing method: ${String(named)}`,
    );
  if (!isSigned(algorithm, key, encodeUtf8(`${header}.${payload}`), base64(signature, "signature")))
    throw unfit("token signature is invalid: signature is invalid");
  checkTimes(claims);
  return claims;
}

function signJwt(algorithm: Algorithm, target: Value, secret: Value): string {
  const call = `method 'sign_jwt_${algorithm.name.toLowerCase()}'`;
  const key = privateKey(algorithm, textArgument(call, "signing_secret", secret));
  const claims = objectTarget(target, "");
  const header = encoded(`{"alg":"${algorithm.name}","typ":"JWT"}`);
  const text = `${header}.${encoded(escapeHtmlCharacters(printJson(claims)))}`;
  return `${text}.${Buffer.from(signature(algorithm, key, encodeUtf8(text))).toString("base64url")}`;
}

function privateKey(algorithm: Algorithm, secret: string): KeyObject | Uint8Array {
  try {
    return keyOf(algorithm, secret, "private");
  } catch (error) {
    throw failedWithin("failed to decode signing_secret", error);
  }
}

/** Returns the key for an algorithm. Throws for a key of another kind before anything is signed or verified. */
function keyOf(algorithm: Algorithm, secret: string, half: "public" | "private"): KeyObject | Uint8Array {
  if (algorithm.name.startsWith("HS")) return encodeUtf8(secret);
  const kind = algorithm.curve === undefined ? "rsa" : "ec";
  const key = readPem(secret, half, kind);
  const fits = key.asymmetricKeyType === kind;
  if (!fits) throw new MappingError(`key is not a valid ${kind === "rsa" ? "RSA" : "ECDSA"} ${half} key`);
  if (half === "private" && !hasCurve(algorithm, key)) throw new MappingError("key is invalid");
  return key;
}

function hasCurve({ curve }: Algorithm, key: KeyObject): boolean {
  return curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve;
}

function readPem(secret: string, half: "public" | "private", kind: "rsa" | "ec"): KeyObject {
  if (!secret.includes("-----BEGIN "))
    throw new MappingError("invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key");
  // A private key would also work as a public one. A mapping that contains a private key by mistake must fail.
  const unwanted = half === "public" && secret.includes("PRIVATE KEY-----");
  try {
    if (!unwanted) return half === "public" ? createPublicKey(secret) : createPrivateKey(secret);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MappingError(`failed to parse ${kind === "rsa" ? "RSA" : "ECDSA"} ${half} key: ${reason}`);
  }
  throw new MappingError(`key is not a valid ${kind === "rsa" ? "RSA" : "ECDSA"} public key`);
}

function signature({ digest, curve }: Algorithm, key: KeyObject | Uint8Array, text: Uint8Array): Uint8Array {
  if (key instanceof Uint8Array) return createHmac(digest, key).update(text).digest();
  if (curve !== undefined) return sign(digest, text, { key, dsaEncoding: "ieee-p1363" });
  return sign(digest, text, { key, padding: constants.RSA_PKCS1_PADDING });
}

function isSigned(
  algorithm: Algorithm,
  key: KeyObject | Uint8Array,
  text: Uint8Array,
  given: Uint8Array,
): boolean {
  if (key instanceof Uint8Array) {
    const wanted = signature(algorithm, key, text);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
  if (algorithm.curve === undefined)
    return verify(algorithm.digest, text, { key, padding: constants.RSA_PKCS1_PADDING }, given);
  if (given.length !== algorithm.size || !hasCurve(algorithm, key)) return false;
  return verify(algorithm.digest, text, { key, dsaEncoding: "ieee-p1363" }, given);
}

/** Throws if the token has expired or is not valid yet. */
function checkTimes(claims: ObjectValue): void {
  const now = Date.now() / 1000;
  const expires = instant(claims, "exp");
  const begins = instant(claims, "nbf");
  if (expires !== undefined && now >= expires) throw unfit("token has invalid claims: token is expired");
  if (begins !== undefined && now < begins) throw unfit("token has invalid claims: token is not valid yet");
}

function instant(claims: ObjectValue, name: string): number | undefined {
  const value = claims[name];
  if (value === undefined) return undefined;
  const number = numeric(value);
  if (number === undefined)
    throw unfit(`token has invalid claims: ${name} is invalid: invalid type for claim`);
  const seconds = toFloat(number);
  // The reference engine treats zero as a missing claim.
  return seconds === 0 ? undefined : seconds;
}

function jsonObject(part: string, failed: string): ObjectValue {
  const parsed = parseJsonText(decodeUtf8(base64(part, failed)));
  if ("reason" in parsed) throw unfit(`token is malformed: ${failed}: ${parsed.reason}`);
  if (!isObject(parsed.value)) throw unfit(`token is malformed: ${failed}: it is not an object`);
  return withFloats(parsed.value, failed);
}

/** Converts the numbers of a token to float64, as common JSON parsers do. Throws for numbers beyond its range. */
function withFloats(value: ObjectValue, failed: string): ObjectValue {
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, asFloats(child, failed)]));
}

function asFloats(value: Value, failed: string): Value {
  if (isArray(value)) return value.map((child) => asFloats(child, failed));
  if (isObject(value)) return withFloats(value, failed);
  if (!isNumber(value)) return value;
  const number = Number(value.toString());
  if (!Number.isFinite(number))
    throw unfit(`token is malformed: ${failed}: a number is beyond the range of float64`);
  return float(number);
}

function base64(part: string, failed: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]*$/.test(part) || part.length % 4 === 1)
    throw unfit(`token is malformed: ${failed}: illegal base64 data`);
  return Buffer.from(part, "base64url");
}

function encoded(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url");
}

function unfit(reason: string): MappingError {
  return new MappingError(`failed to parse JWT string: ${reason}`);
}
