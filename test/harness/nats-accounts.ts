import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { temporaryDirectory } from "./directories.ts";

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Users of NATS servers: one for a server that trusts an operator, and one that a server knows by its key alone. */
export interface NatsAccounts {
  /** The configuration of a server that accepts users with JWTs of an operator. */
  readonly jwtConfig: string;
  readonly userJwt: string;
  readonly userSeed: string;
  /** The file with the JWT and the seed. */
  readonly credentialsFile: string;
  /** The configuration of a server that knows one user by its public key. */
  readonly nkeyConfig: string;
  /** The file with the seed of that key. */
  readonly nkeyFile: string;
}

/** Creates new keys and the JWTs that they sign. */
export function createNatsAccounts(): NatsAccounts {
  const directory = temporaryDirectory("nats-accounts");
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const system = nkeys.createAccount(); // JetStream requires a system account
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = sign(operator, operator, { type: "operator" });
  const accountOf = (keys: KeyPair) =>
    `${keys.getPublicKey()}: ${sign(operator, keys, { type: "account", limits })}`;
  const userJwt = sign(account, user, { type: "user", pub: {}, sub: {}, ...unlimited });
  const userSeed = Buffer.from(user.getSeed()).toString();
  const credentialsFile = join(directory, "user.creds");
  writeFileSync(credentialsFile, `${fence("NATS USER JWT", userJwt)}\n${fence("USER NKEY SEED", userSeed)}`);
  const nkeyFile = join(directory, "seed.nk");
  writeFileSync(nkeyFile, `${userSeed}\n`);
  return {
    jwtConfig: [
      `operator: ${operatorJwt}`,
      "resolver: MEMORY",
      `system_account: ${system.getPublicKey()}`,
      `resolver_preload: { ${accountOf(account)}, ${accountOf(system)} }`,
    ].join("\n"),
    userJwt,
    userSeed,
    credentialsFile,
    nkeyConfig: `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    nkeyFile,
  };
}

function fence(name: string, text: string): string {
  return `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`;
}

function sign(issuer: KeyPair, subject: KeyPair, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = encode({
    jti: "test",
    iat: 1,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: "test",
    nats: { version: 2, ...claims },
  });
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${body}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}
