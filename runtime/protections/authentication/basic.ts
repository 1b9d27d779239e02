// Users with passwords: `type: http` with `scheme: basic` (RFC 7617).

import { createHmac, randomBytes } from "node:crypto";
import type { GatewayScope, Scoped } from "../../component/gateway-scope.ts";
import { BoundedCache } from "../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../errors.ts";
import type { Keys } from "../../keys/keys.ts";
import { passwordWork } from "../../keys/password-work.ts";
import type { PasswordTest } from "../../keys/passwords.ts";
import { createLoginAttempts, type LoginAttempts, type LoginLimits } from "../../logins/login-attempts.ts";
import { type Authentication, type AuthenticationMethod, renewable } from "./method.ts";
import { type CredentialSources, readCredential } from "./sources.ts";

export interface BasicOptions extends CredentialSources {
  /** Verifies the password again for each request, which takes time. */
  readonly disableCaching?: boolean;
  /** Seconds for which a correct password is not verified again. */
  readonly cacheTTL?: number;
}

const pattern = /^(?:basic +)?([A-Za-z0-9+/_-]+={0,2})$/i;

/** Requires a user of the gateway with its password. */
export function basic({
  disableCaching = false,
  cacheTTL = 60,
  ...sources
}: BasicOptions): AuthenticationMethod {
  return {
    identity: "basic_auth_user",
    accepts: { kind: "basic" },
    start({ keys, gateway }) {
      const passwords = createPasswords(gateway, disableCaching ? 0 : cacheTTL * 1000);
      return {
        sources,
        challenge: 'Basic realm="API", charset="UTF-8"',
        authenticate(call) {
          const credential = readCredential(call, sources);
          if (credential === undefined || credential instanceof GatewayError) return credential;
          const [, encoded] = pattern.exec(credential) ?? [];
          // Other schemes, such as `Bearer …`, are not handled here.
          if (encoded === undefined) return undefined;
          const text = Buffer.from(encoded, "base64").toString("utf8");
          const end = text.indexOf(":");
          if (end === -1) return unauthorised();
          const [name, password] = [text.slice(0, end), text.slice(end + 1)];
          return identify(keys, passwords, { name, password, address: call.remoteAddress });
        },
      };
    },
  };
}

async function identify(
  keys: Keys | undefined,
  passwords: Passwords,
  { name, password, address }: { readonly name: string; readonly password: string; readonly address: string },
): Promise<Authentication> {
  const user = await keys?.findUser(name);
  const isRight = await passwords.verify(name, password, user?.record.basic_auth_data?.password, address);
  if (isRight instanceof GatewayError) return isRight;
  if (user === undefined || !isRight) return unauthorised();
  const { id } = user.record.basic_auth_data?.password ?? {};
  // A password is verified once per connection: it is correct until it is changed.
  return renewable(async () => {
    const present = await keys?.findUser(name);
    if (present === undefined || present.record.basic_auth_data?.password?.id !== id) return unauthorised();
    return { session: present.session, metadata: present.session.metadata };
  });
}

/** Returns the same error for unknown users and wrong passwords. */
function unauthorised(): GatewayError {
  return new GatewayError(401, "User not authorised", { reason: "wrong_credential" });
}

interface Passwords {
  /**
   * Resolves with whether `password` is that of the user. `test` is absent if the user has none; that takes equally
   * long. Resolves with an error if too many passwords are being verified (503), or if too many from `address` were
   * wrong (429).
   */
  verify(
    name: string,
    password: string,
    test: PasswordTest | undefined,
    address: string,
  ): Promise<boolean | GatewayError>;
}

const mostRemembered = 10_000;

/** Remembers correct passwords for `age` milliseconds, as keyed hashes that only this process can compute. */
function createPasswords(gateway: GatewayScope, age: number): Passwords {
  const secret = randomBytes(32);
  const right = new BoundedCache<true>(mostRemembered, age);
  const work = passwordWork(gateway, "callers");
  const attempts = gateway.get(scopedAttempts);
  const verifying = new Map<string, Promise<boolean | GatewayError>>();

  async function attempt(
    name: string,
    password: string,
    test: PasswordTest | undefined,
    address: string,
  ): Promise<boolean | GatewayError> {
    const begun = attempts.begin(name, address);
    if (typeof begun === "number") return tooMany(begun);
    const isRight = await work.of(begun).verify(password, test);
    if (isRight === true) begun.right();
    else if (isRight !== false) begun.unverified();
    return isRight;
  }

  return {
    async verify(name, password, test, address) {
      // Otherwise guesses beyond the limit would find a password that was verified for its owner meanwhile.
      const wait = attempts.wait(name, address);
      if (wait > 0) return tooMany(wait);
      const known = createHmac("sha256", secret)
        .update(JSON.stringify([name, password, test?.id ?? ""]))
        .digest("base64");
      if (test !== undefined && right.get(known)) return true;
      // Concurrent requests of a client have the same password, which is verified once.
      const one = `${known} ${address}`;
      const present = verifying.get(one);
      if (present !== undefined) return present;
      const begun = attempt(name, password, test, address).finally(() => verifying.delete(one));
      verifying.set(one, begun);
      const isRight = await begun;
      if (isRight === true && age > 0) right.set(known, true);
      return isRight;
    },
  };
}

function tooMany(wait: number): GatewayError {
  return new GatewayError(429, "Too many failed logins", { retryAfter: wait, reason: "too_many_logins" });
}

/** The limits are generous, as a client with a wrong password sends it with each request. */
const limits: LoginLimits = { period: 60_000, ofAccount: 20, ofAddress: 100 };

/** All APIs of a gateway share the attempts, as they have the same users. */
const scopedAttempts: Scoped<LoginAttempts> = { create: () => createLoginAttempts(limits) };
