// Credentials that an approval gives out: what the developer gets, once, and what is kept of it.

import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { PasswordWork } from "../../keys/password-work.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import { createToken, hashToken } from "../../oauth/tokens.ts";
import { createIdentifier } from "../../store/identifiers.ts";

/** A key, or the name and password of a user; both empty where a key that the developer has was extended. */
export interface KeyAnswer {
  readonly RawKey: string;
  readonly Password: string;
  /** A certificate in PEM that was signed, where a request for one was sent. */
  readonly certificate?: string;
}

/** A key or a user, before it has policies. */
export interface NewKey {
  /** What it is called in the store and with its developer; it reveals no secret. */
  readonly id: string;
  readonly userName: string | null;
  readonly record: StoredKey;
  /** Exists nowhere but here. */
  readonly answer: KeyAnswer;
}

/** A new API key: 256 random bits. */
export function createKey(): NewKey {
  const key = createToken();
  const id = hashKey(key);
  return { id, userName: null, record: { key_hash: id }, answer: { RawKey: key, Password: "" } };
}

/**
 * A new user of basic authentication. Its id is not a hash of anything: a caller who sent the text that it would be the hash of
 * would be taken for that user without a password. An error where too many passwords wait to be hashed.
 */
export async function createUser(work: PasswordWork): Promise<NewKey | GatewayError> {
  const name = createIdentifier();
  const password = createToken();
  const hash = await work.hash(password);
  if (hash instanceof GatewayError) return hash;
  return {
    id: `user-${name}`,
    userName: name,
    record: { username: name, basic_auth_data: { password: hash } },
    answer: { RawKey: name, Password: password },
  };
}

/** A new OAuth client: its name, its secret, and the hash by which that is kept. */
export function createClient(): {
  readonly clientId: string;
  readonly secret: string;
  readonly secretHash: string;
} {
  const secret = createToken();
  return { clientId: createIdentifier(), secret, secretHash: hashToken(secret) };
}
