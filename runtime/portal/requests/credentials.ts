// Creates credentials: the part that the developer gets once, and the part that is stored.

import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { PasswordWork } from "../../keys/password-work.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import { createToken, hashToken } from "../../oauth/tokens.ts";
import { createIdentifier } from "../../store/identifiers.ts";

/** A key, or a user name and password. Both are empty if an existing key of the developer was extended. */
export interface KeyAnswer {
  readonly RawKey: string;
  readonly Password: string;
  /** The certificate in PEM, if a certificate request was signed. */
  readonly certificate?: string;
}

/** A key or a user without policies. */
export interface NewKey {
  /** The id in the store and in the developer's record. It reveals no secret. */
  readonly id: string;
  readonly userName: string | null;
  readonly record: StoredKey;
  /** The response for the developer. Its secrets are stored nowhere. */
  readonly answer: KeyAnswer;
}

/** Creates an API key with 256 random bits. */
export function createKey(): NewKey {
  const key = createToken();
  const id = hashKey(key);
  return { id, userName: null, record: { key_hash: id }, answer: { RawKey: key, Password: "" } };
}

/**
 * Creates a user for basic authentication. Its id is not a hash: otherwise a caller that sent a key with this hash
 * would be taken for the user, without a password. Resolves with an error if too many passwords are waiting to be
 * hashed.
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

/** Creates an OAuth client: its id, its secret, and the hash of the secret for the store. */
export function createClient(): {
  readonly clientId: string;
  readonly secret: string;
  readonly secretHash: string;
} {
  const secret = createToken();
  return { clientId: createIdentifier(), secret, secretHash: hashToken(secret) };
}
