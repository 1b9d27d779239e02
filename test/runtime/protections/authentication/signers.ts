// Issuers of tokens for tests: keys of every kind, and a server that publishes them.

import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from "jose";
import { type HttpServer, httpServer, type Reply } from "../../../harness/http-server.ts";

/** A key pair with its id and algorithm. */
export interface Signer {
  readonly alg: string;
  readonly kid: string;
  /** The public key as it is published. */
  readonly jwk: JWK;
  /** The public key as PEM. */
  readonly publicKey: string;
  /** Signs a token with the claims. It expires in five minutes unless `exp` is given. */
  sign(claims: Readonly<Record<string, unknown>>, head?: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function createSigner(alg: string, kid: string = alg): Promise<Signer> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return {
    alg,
    kid,
    jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" },
    publicKey: await exportSPKI(pair.publicKey),
    sign: (claims, head = {}) => signWith(pair.privateKey, claims, { alg, kid, ...head }),
  };
}

/** Signs a token with any key. It expires in five minutes unless `exp` is given. */
export function signWith(
  key: CryptoKey | Uint8Array,
  claims: Readonly<Record<string, unknown>>,
  head: Readonly<Record<string, unknown>> & { readonly alg: string },
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 300;
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ typ: "JWT", ...head }).sign(key);
}

/** Returns a token made of texts, with the given signature. */
export function rawToken(head: unknown, claims: unknown, signature = ""): string {
  const [first, second] = [head, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return `${first}.${second}.${signature}`;
}

/** A server whose responses by path can be replaced at any time. Other paths get 404. */
export interface Issuer extends HttpServer {
  readonly replies: Map<string, Reply | ((body: string) => Reply | Promise<Reply>)>;
  /** Returns how often a path was requested. */
  count(path: string): number;
}

export async function startIssuer(): Promise<Issuer> {
  const replies: Issuer["replies"] = new Map();
  const server = await httpServer(({ path, body }) => {
    const reply = replies.get(path) ?? { status: 404 };
    return typeof reply === "function" ? reply(body) : reply;
  });
  return {
    ...server,
    replies,
    count: (path) => server.requests.filter((request) => request.path === path).length,
  };
}
