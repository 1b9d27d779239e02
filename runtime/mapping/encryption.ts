// AES encryption in the modes of the mapping language.

import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM } from "node:crypto";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { bytesOf } from "./text.ts";

const blockSize = 16;
const tagSize = 16;
const nonceSize = 12;

interface Settings {
  readonly scheme: "ctr" | "gcm" | "ofb" | "cbc";
  readonly name: string;
  readonly key: Uint8Array;
  readonly vector: Uint8Array;
}

/** `.encrypt_aes(scheme, key, iv)`: returns the encrypted bytes as text. */
export function encryptAes(target: Value, from: string, scheme: Value, key: Value, iv: Value): string {
  const settings = settingsOf("encrypt", scheme, key, iv);
  textTarget(target, from);
  const plain = bytesOf(target);
  if (settings.scheme === "gcm") {
    // Node's types need literal cipher names. Among the names here, only GCM ciphers have a tag.
    const cipher = createCipheriv(settings.name, settings.key, settings.vector) as CipherGCM;
    return decodeUtf8(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
  }
  if (settings.scheme === "cbc" && plain.length % blockSize !== 0)
    throw failedOn(from, "plaintext is not a multiple of the block size");
  const cipher = createCipheriv(settings.name, settings.key, settings.vector);
  cipher.setAutoPadding(false);
  return decodeUtf8(Buffer.concat([cipher.update(plain), cipher.final()]));
}

/** `.decrypt_aes(scheme, key, iv)` */
export function decryptAes(target: Value, from: string, scheme: Value, key: Value, iv: Value): Uint8Array {
  const settings = settingsOf("decrypt", scheme, key, iv);
  textTarget(target, from);
  const encrypted = bytesOf(target);
  if (settings.scheme === "gcm") return openSealed(encrypted, settings, from);
  if (settings.scheme === "cbc" && encrypted.length % blockSize !== 0)
    throw failedOn(from, "ciphertext is not a multiple of the block size");
  const decipher = createDecipheriv(settings.name, settings.key, settings.vector);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}

/** Decrypts GCM. The tag is at the end, and no content is returned unless the tag matches. */
function openSealed(sealed: Uint8Array, settings: Settings, from: string): Uint8Array {
  const failed = "gcm decrypting failed: cipher: message authentication failed";
  if (sealed.length < tagSize) throw failedOn(from, failed);
  // Node's types need literal cipher names, and only GCM has a tag. The slices fix the length of the tag.
  const decipher = createDecipheriv(settings.name, settings.key, settings.vector) as DecipherGCM;
  decipher.setAuthTag(sealed.subarray(sealed.length - tagSize));
  const plain = decipher.update(sealed.subarray(0, sealed.length - tagSize));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    // Only the tag can fail here. The message of the library differs between its versions.
    throw failedOn(from, failed);
  }
}

function settingsOf(verb: string, scheme: Value, key: Value, iv: Value): Settings {
  const call = `method '${verb}_aes'`;
  const mode = textArgument(call, "scheme", scheme);
  textArgument(call, "key", key);
  textArgument(call, "iv", iv);
  const [secret, vector] = [bytesOf(key), bytesOf(iv)];
  if (![16, 24, 32].includes(secret.length))
    throw new MappingError(`crypto/aes: invalid key size ${secret.length}`);
  if (mode !== "ctr" && mode !== "gcm" && mode !== "ofb" && mode !== "cbc")
    throw new MappingError(`unrecognized ${verb}ion type: ${mode}`);
  if (vector.length !== (mode === "gcm" ? nonceSize : blockSize))
    throw new MappingError("the key must match the initialisation vector size");
  return { scheme: mode, name: `aes-${secret.length * 8}-${mode}`, key: secret, vector };
}
