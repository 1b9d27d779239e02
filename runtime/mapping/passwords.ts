// Compares secrets with their hashes.

import * as crypto from "node:crypto";
import { timingSafeEqual } from "node:crypto";
import { compareSync } from "bcryptjs";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { pluginText, textArgument } from "./arguments.ts";

const argonForm = /^\$([^$]*)\$v=([^$\s]+)\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]*)\$([A-Za-z0-9+/]*)$/;
/** Limits for Argon2 hashes: memory in KiB, and memory times passes, which is about a second of work. */
const mostMemory = 2 ** 18;
const mostMemoryPasses = 2 ** 20;

/** The highest cost of a bcrypt hash, about a second of work. Each further step doubles the work. */
const highestCost = 14;

const bcryptForm = /^\$2[aby]?\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * `.compare_argon2(hashed_secret)`: the hash names its variant, costs and salt. An empty secret never matches. The
 * author of the hash chooses the costs, so they are limited.
 */
export function compareArgon2(target: Value, _from: string, hashed: Value): boolean {
  const text = textArgument("method 'compare_argon2'", "hashed_secret", hashed);
  const secret = pluginText(target);
  if (secret === "") return false;
  const [, variant = "", , memory, passes, parallelism, salt = "", key = ""] = argonForm.exec(text) ?? [];
  if (variant !== "argon2i" && variant !== "argon2id") throw new MappingError("invalid argon2 hash");
  const wanted = Buffer.from(key, "base64");
  const lanes = Number(parallelism);
  if (lanes < 1 || lanes > 255 || Number(memory) >= 2 ** 32 || Number(passes) >= 2 ** 32)
    throw new MappingError("invalid argon2 hash: failed to parse parameters");
  // Smaller values are rounded up, as in other implementations.
  const needed = Math.max(Number(memory), 8 * lanes);
  if (needed > mostMemory || needed * Number(passes) > mostMemoryPasses)
    throw new MappingError("the argon2 hash asks for too much memory or too many passes");
  const given = argon2(variant, {
    message: encodeUtf8(secret),
    nonce: Buffer.from(salt, "base64"),
    parallelism: lanes,
    tagLength: wanted.length,
    memory: needed,
    passes: Number(passes),
  });
  return timingSafeEqual(given, wanted);
}

/** `.compare_bcrypt(hashed_secret)` */
export function compareBcrypt(target: Value, _from: string, hashed: Value): boolean {
  const text = textArgument("method 'compare_bcrypt'", "hashed_secret", hashed);
  const secret = pluginText(target);
  if (text.length < 59) {
    throw new MappingError("crypto/bcrypt: hashedSecret too short to be a bcrypted password");
  }
  const cost = Number(bcryptForm.exec(text.slice(0, 60))?.[1] ?? Number.NaN);
  if (!(cost >= 4 && cost <= 31)) throw new MappingError("crypto/bcrypt: hashedSecret is not a bcrypt hash");
  if (cost > highestCost) throw new MappingError(`the bcrypt hash asks for a cost above ${highestCost}`);
  return compareSync(secret, text.slice(0, 60));
}

function argon2(variant: "argon2i" | "argon2id", parameters: crypto.Argon2Parameters): Uint8Array {
  // Available since Node 24.7. An import by name would prevent whole gateways from starting on older versions.
  if (typeof crypto.argon2Sync !== "function")
    throw new MappingError("compare_argon2 needs Node 24.7 or later");
  try {
    return crypto.argon2Sync(variant, parameters);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MappingError(`invalid argon2 hash: ${error.message}`);
  }
}
