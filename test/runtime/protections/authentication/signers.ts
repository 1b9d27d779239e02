// Issuers of tokens as tests need them: keys of every kind, and a server that publishes them.

import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from "jose";
import { type HttpServer, httpServer, type Reply } from "../../../harness/http-server.ts";

/** A key pair with what it is called. */
export interface Signer {
  readonly alg: string;
  readonly kid: string;
  /** As it is published. */
  readonly jwk: JWK;
  /** PEM. */
  readonly publicKey: string;
  /** A token of the claims; expires in five minutes unless `exp` is given. */
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

/** A token of the claims by any key; expires in five minutes unless `exp` is given. */
export function signWith(
  key: CryptoKey | Uint8Array,
  claims: Readonly<Record<string, unknown>>,
  head: Readonly<Record<string, unknown>> & { readonly alg: string },
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 300;
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ typ: "JWT", ...head }).sign(key);
}

/** A token made of texts, with the signature as given. */
export function rawToken(head: unknown, claims: unknown, signature = ""): string {
  const [first, second] = [head, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return `${first}.${second}.${signature}`;
}

/** A server whose answers by path can be replaced at any time; others get 404. */
export interface Issuer extends HttpServer {
  readonly replies: Map<string, Reply | ((body: string) => Reply | Promise<Reply>)>;
  /** How often a path was asked for. */
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
