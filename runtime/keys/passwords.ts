// Passwords of users, held against their hashes.

import * as crypto from "node:crypto";
import { timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { EnvironmentError } from "../environment.ts";
import { encodeUtf8 } from "../utf8.ts";

/** Whether that is the password; takes long on purpose, and not on the event loop. */
export type PasswordTest = (password: string) => Promise<boolean>;

/** `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH` */
const argonForm =
  /^\$(argon2id|argon2i)\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{16,128})$/;

/**
 * Holds passwords against a hash, which names its algorithm, costs and salt. Throws an `EnvironmentError` for what is no
 * hash of a kind that is known here, which only the environment can bring.
 */
export function passwordTest(hash: string): PasswordTest {
  const argon = argonForm.exec(hash);
  if (argon !== null) return argonTest(argon);
  throw new EnvironmentError(["the `password` of a key is no hash by argon2 or bcrypt"]);
}

function argonTest([
  ,
  variant = "",
  memory,
  passes,
  lanes,
  salt = "",
  key = "",
]: RegExpExecArray): PasswordTest {
  const wanted = Buffer.from(key, "base64");
  const parameters = {
    nonce: Buffer.from(salt, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(lanes),
    tagLength: wanted.length,
  };
  const algorithm = variant === "argon2i" ? "argon2i" : "argon2id";
  return async (password) => {
    const given = await argon2(algorithm, { ...parameters, message: encodeUtf8(password) });
    return timingSafeEqual(given, wanted);
  };
}

/** On a thread of Node's own. Node has it since 24.7; by name an older one could not even load the gateway. */
function argon2(algorithm: crypto.Argon2Algorithm, parameters: crypto.Argon2Parameters): Promise<Buffer> {
  return promisify(crypto.argon2)(algorithm, parameters);
}
