import {
  type Authenticator,
  credsAuthenticator,
  jwtAuthenticator,
  nkeyAuthenticator,
  nkeys,
} from "@nats-io/transport-node";
import { GatewayError } from "../../errors.ts";
import { readMachineText } from "../../process/machine-files.ts";
import { encodeUtf8 } from "../../text/utf8.ts";

/** The `auth` block: one of a file with an NKey seed, a credentials file, or a JWT with its seed. */
export interface NatsAuth {
  readonly nkey_file?: string;
  readonly user_credentials_file?: string;
  readonly user_jwt?: string;
  readonly user_nkey_seed?: string;
}

/**
 * How the client proves who it is; `undefined` where the block names nothing. Files are read now and
 * checked, so that a mistake shows at the start: throws a `GatewayError` that names field and file only.
 */
export function createAuthenticator(auth: NatsAuth = {}): Authenticator | undefined {
  const { nkey_file = "", user_credentials_file = "", user_jwt = "", user_nkey_seed = "" } = auth;
  const ways = [nkey_file, user_credentials_file, user_jwt + user_nkey_seed].filter((way) => way !== "");
  if (ways.length === 0) return undefined;
  if (ways.length > 1) throw mistake("auth takes one way to authenticate, not several");
  if (nkey_file !== "") {
    const name = `auth.nkey_file (${nkey_file})`;
    return nkeyAuthenticator(checkSeed(readText(nkey_file, name), name));
  }
  if (user_credentials_file !== "") return credentialsOf(user_credentials_file);
  if (user_jwt === "" || user_nkey_seed === "") {
    throw mistake("auth.user_jwt and auth.user_nkey_seed need each other");
  }
  return jwtAuthenticator(user_jwt.trim(), checkSeed(user_nkey_seed, "auth.user_nkey_seed"));
}

function credentialsOf(file: string): Authenticator {
  const name = `auth.user_credentials_file (${file})`;
  const authenticator = credsAuthenticator(encodeUtf8(readText(file, name)));
  try {
    authenticator("nonce"); // opens what the file holds
  } catch (error) {
    throw mistake(`${name} holds no JWT with its seed`, error);
  }
  return authenticator;
}

function readText(file: string, name: string): string {
  try {
    return readMachineText(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw mistake(`${name} cannot be read${code}`, error);
  }
}

/** The seed, as it may stand among comments and decorations of a file. */
function checkSeed(text: string, name: string): Uint8Array {
  const seed = encodeUtf8(/\bS[A-Z2-7]{57}\b/.exec(text)?.[0] ?? "");
  try {
    nkeys.fromSeed(seed);
  } catch (error) {
    throw mistake(`${name} holds no NKey seed`, error);
  }
  return seed;
}

function mistake(message: string, cause?: unknown): GatewayError {
  return new GatewayError(500, message, cause === undefined ? {} : { cause });
}
