import { type Format, piecesOf } from "./format.ts";

const ofKey = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
const ofPassword = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

/** Beginnings of password hashes, with some of the text that follows. */
const heads = ["$2b$10$aaa", "$argon2id$v=19$m=64,t=1,p=4$aaa$aaa", "$argon2i$v=19$m=19456,t=2,p=1$aaa"];

/** The SHA-256 of a key. */
export const keyHash: Format = {
  title: "the SHA-256 of a key",
  pattern: /^[0-9a-fA-F]{64}$/,
  faults: [],
  otherwise: "it must have 64 hexadecimal digits; `sluice key hash` computes it",
  fillings: ["aa", "aaa", ofKey],
  example: ofKey,
};

/** The hash of a password, which includes the algorithm and its parameters. */
export const passwordHash: Format = {
  title: "the hash of a password",
  pattern:
    /^(?:\$argon2id?\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,128}|\$2[aby]?\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53})$/,
  faults: [
    [/^\$argon2d\$/, "passwords must be hashed with argon2id or argon2i"],
    [/^\$(?:argon2|2[abxy]?\$)/, "it is incomplete"],
  ],
  otherwise: "`sluice key hash --password` computes it",
  fillings: [...heads.flatMap(piecesOf), ofPassword],
  example: ofPassword,
};
