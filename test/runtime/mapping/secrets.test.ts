import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compress, decompress } from "../../../runtime/mapping/compression.ts";
import { decryptAes, encryptAes } from "../../../runtime/mapping/encryption.ts";
import { hash } from "../../../runtime/mapping/hashing.ts";
import {
  parseJwtEs256,
  parseJwtHs256,
  parseJwtRs256,
  signJwtEs256,
  signJwtHs256,
  signJwtRs256,
} from "../../../runtime/mapping/jwt.ts";
import { compareBcrypt } from "../../../runtime/mapping/passwords.ts";

const publicForm = { type: "spki", format: "pem" } as const;
const privateForm = { type: "pkcs8", format: "pem" } as const;
const rsa = asText(generateKeyPairSync("rsa", { modulusLength: 2048 }));
const curve = asText(generateKeyPairSync("ec", { namedCurve: "P-256" }));
const otherCurve = asText(generateKeyPairSync("ec", { namedCurve: "P-384" }));

function asText(pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }) {
  const publicKey = String(pair.publicKey.export(publicForm));
  return { publicKey, privateKey: String(pair.privateKey.export(privateForm)) };
}

test("tokens are verified with the matching key", () => {
  const claims = { sub: "a" };
  assert.equal(parseJwtRs256(signJwtRs256(claims, "", rsa.privateKey), "", rsa.publicKey), claims);
  assert.equal(parseJwtEs256(signJwtEs256(claims, "", curve.privateKey), "", curve.publicKey), claims);
});

test("a token cannot choose its algorithm", () => {
  const forged = signJwtHs256({ sub: "a" }, "", rsa.publicKey);
  assert.throws(() => parseJwtRs256(forged, "", rsa.publicKey), /incorrect signing method: HS256$/);
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${forged.split(".")[1]}.`;
  assert.throws(() => parseJwtHs256(none, "", "s"), /incorrect signing method: none$/);
});

test("keys of another type are rejected", () => {
  assert.throws(() => signJwtEs256({}, "", otherCurve.privateKey), "key is invalid");
  assert.throws(() => signJwtRs256({}, "", curve.privateKey), "key is not a valid RSA private key");
  assert.throws(() => parseJwtRs256("a.b.c", "", rsa.privateKey), "key is not a valid RSA public key");
});

test("modified and expired tokens are rejected", () => {
  const [header, , signature] = signJwtHs256({ sub: "a" }, "", "s").split(".");
  const changed = `${header}.${Buffer.from('{"sub":"b"}').toString("base64url")}.${signature}`;
  assert.throws(() => parseJwtHs256(changed, "", "s"), /signature is invalid$/);
  assert.throws(() => parseJwtHs256(signJwtHs256({ exp: 5 }, "", "s"), "", "s"), /token is expired$/);
  const content = `${header}.${Buffer.from('{"exp":1e400}').toString("base64url")}`;
  const endless = `${content}.${createHmac("sha256", "s").update(content).digest("base64url")}`;
  assert.throws(() => parseJwtHs256(endless, "", "s"), /a number is beyond the range of float64$/);
});

test("modified AES-GCM ciphertext is not decrypted", () => {
  const sealed = encryptAes("secret", "f", "gcm", "k".repeat(16), "n".repeat(12));
  assert.is(Buffer.from(decryptAes(sealed, "f", "gcm", "k".repeat(16), "n".repeat(12))).toString(), "secret");
  const open = () => decryptAes(`${sealed}x`, "f", "gcm", "k".repeat(16), "n".repeat(12));
  assert.throws(open, "f: cipher: message authentication failed");
});

test("a value that is not a bcrypt hash is reported", () => {
  assert.throws(() => compareBcrypt("a", "", "short"), /hashedSecret too short/);
});

test("decompressing restores what was compressed", () => {
  const texts = [Buffer.alloc(0), Buffer.from("hello"), Buffer.from("The quick brown fox. ".repeat(9000))];
  for (const name of ["gzip", "pgzip", "zlib", "flate", "zstd", "snappy", "lz4"]) {
    for (const text of texts) {
      const packed = compress(text, "", name, -1);
      assert.is(Buffer.compare(decompress(packed, "", name), text), 0, name);
    }
    assert.throws(() => decompress("garbage", "", name));
  }
});

test("corrupt LZ4 data is rejected", () => {
  const packed = Buffer.from(compress("hello world I love space", "", "lz4", -1));
  packed[20] = 0;
  assert.throws(() => decompress(packed, "", "lz4"), "lz4: invalid frame checksum");
});

test("XXH64 of strings shorter and longer than a stripe", () => {
  const digest = (text: string) => Buffer.from(hash(text, "", "xxhash64", undefined, "IEEE")).toString();
  assert.is(digest("hello world"), "5020219685658847592");
  assert.is(digest(""), "17241709254077376921");
});

test.run();
