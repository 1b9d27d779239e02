// Encryption, tokens and hashed secrets. They are implemented in runtime/mapping/encryption.ts, jwt.ts and
// passwords.ts.

import { type Builtin, type Details, method, parameter, secretText } from "./builtin.ts";

const text: Details = { targets: ["string", "bytes"] };
const aes: Details = {
  ...text,
  args: [parameter("scheme", "string"), secretText("key"), parameter("iv", "string")],
};
const secret: Details = { args: [secretText("signing_secret")] };
const publicKey: Details = { ...secret, args: [parameter("signing_secret", "string")], rule: "publicKey" };
const hashed: Details = {
  targets: ["string", "bytes", "timestamp"],
  returns: "bool",
  args: [parameter("hashed_secret", "string")],
};
const algorithms = ["HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512"];

export const secrets: readonly Builtin[] = [
  method("encryption.ts", "encrypt_aes", "Encrypts the value with AES in the mode ctr, gcm, ofb or cbc.", {
    ...aes,
    returns: "string",
    rule: "encryption",
  }),
  method("encryption.ts", "decrypt_aes", "Decrypts the value with AES in the mode ctr, gcm, ofb or cbc.", {
    ...aes,
    returns: "bytes",
    rule: "decryption",
  }),
  ...algorithms.flatMap((name) => [
    method(
      "jwt.ts",
      `parse_jwt_${name.toLowerCase()}`,
      `Verifies a JWT signed with ${name} and returns its claims.`,
      {
        ...(name.startsWith("HS") ? secret : publicKey),
        ...text,
        returns: "object",
        // Tokens expire.
        pure: false,
      },
    ),
    method(
      "jwt.ts",
      `sign_jwt_${name.toLowerCase()}`,
      `Creates a JWT with the claims, signed with ${name}.`,
      {
        ...secret,
        targets: ["object"],
        returns: "string",
        ...(!name.startsWith("HS") && { rule: "privateKey" as const }),
        // Any text is a valid secret, but not a valid private key.
        canFail: !name.startsWith("HS"),
        pure: !name.startsWith("ES"),
      },
    ),
  ]),
  method("passwords.ts", "compare_argon2", "Whether a secret matches an Argon2 hash.", hashed),
  method("passwords.ts", "compare_bcrypt", "Whether a secret matches a bcrypt hash.", hashed),
];
