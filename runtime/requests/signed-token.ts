// Authenticates requests with a token that the gateway signs itself (RFC 7515, RFC 7519).

import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { GatewayError } from "../errors.ts";
import { printJson } from "../message/json.ts";
import type { Value } from "../message/value.ts";
import { readMachineFile } from "../process/machine-files.ts";
import type { Credentials } from "./request.ts";

/** The `jwt` block. */
export interface TokenBlock {
  readonly enabled?: boolean;
  readonly private_key_file?: string;
  readonly signing_method?: string;
  readonly claims?: Readonly<Record<string, Value>>;
  /** Headers of the token in addition to `alg` and `typ`. */
  readonly headers?: Readonly<Record<string, Value>>;
}

/** The digest of each method, and the type of key that it requires. Ed25519 includes its digest. */
const methods: Readonly<Record<string, { readonly digest: string | undefined; readonly key: string }>> = {
  RS256: { digest: "sha256", key: "rsa" },
  RS384: { digest: "sha384", key: "rsa" },
  RS512: { digest: "sha512", key: "rsa" },
  EdDSA: { digest: undefined, key: "ed25519" },
};

/**
 * Returns the credentials of a block; `undefined` if it is disabled. The key is read at the first request and kept;
 * requests reject while it cannot be read. All requests use the same token, since the claims are fixed.
 */
export function signedToken(block: TokenBlock): Credentials | undefined {
  if (block.enabled !== true) return undefined;
  let value: string | undefined;
  return {
    apply({ headers }) {
      value ??= `Bearer ${createToken(block)}`;
      headers.set("authorization", value);
    },
  };
}

function createToken({
  private_key_file = "",
  signing_method = "",
  claims = {},
  headers = {},
}: TokenBlock): string {
  const method = Object.hasOwn(methods, signing_method) ? methods[signing_method] : undefined;
  if (method === undefined) throw mistake("`jwt.signing_method` must be one of RS256, RS384, RS512, EdDSA");
  const key = readKey(private_key_file);
  if (key.asymmetricKeyType !== method.key) {
    throw mistake(`the key of \`jwt.private_key_file\` is not one for ${signing_method}`);
  }
  const head = { typ: "JWT", ...headers, alg: signing_method };
  const content = [head, claims].map((part) => base64Url(printJson(part))).join(".");
  return `${content}.${sign(method.digest, Buffer.from(content), key).toString("base64url")}`;
}

function readKey(path: string): KeyObject {
  try {
    return createPrivateKey(readMachineFile(path));
  } catch (error) {
    throw mistake("the file of `jwt.private_key_file` cannot be read, or holds no key in PEM", error);
  }
}

function base64Url(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function mistake(message: string, cause?: unknown): GatewayError {
  return new GatewayError(500, message, cause === undefined ? {} : { cause });
}
