// Verifying passwords of requests, and not again for a while.

import { createHmac, randomBytes } from "node:crypto";
import type { GatewayScope, Scoped } from "../../component/gateway-scope.ts";
import { BoundedCache } from "../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../errors.ts";
import { passwordWork } from "../../keys/password-work.ts";
import type { PasswordTest } from "../../keys/passwords.ts";
import { createLoginAttempts, type LoginAttempts, type LoginLimits } from "../../logins/login-attempts.ts";

export interface Passwords {
  /**
   * Whether it is the password of a user; `test` is absent where there is none, which takes as long. An error where so
   * many are being verified that this one could only wait (503), or so many from `address` were wrong (429).
   */
  verify(
    name: string,
    password: string,
    test: PasswordTest | undefined,
    address: string,
  ): Promise<boolean | GatewayError>;
}

const mostRemembered = 10_000;

/** Passwords that were right are remembered for `age` milliseconds, as what only this process can recognise. */
export function createPasswords(gateway: GatewayScope, age: number): Passwords {
  const secret = randomBytes(32);
  const right = new BoundedCache<true>(mostRemembered, age, () => performance.now());
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
    if (typeof begun === "number")
      return new GatewayError(429, "Too many failed logins", {
        retryAfter: begun,
        reason: "too_many_logins",
      });
    const isRight = await work.verify(password, test);
    if (isRight === true) begun.right();
    else if (isRight !== false) begun.unverified();
    return isRight;
  }

  return {
    async verify(name, password, test, address) {
      const known = createHmac("sha256", secret)
        .update(JSON.stringify([name, password, test?.id ?? ""]))
        .digest("base64");
      if (test !== undefined && right.get(known)) return true;
      // Requests that a client sends at once have one password, which is verified once.
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

/** A client with a wrong password sends it with each request. */
const limits: LoginLimits = { period: 60_000, ofAccount: 20, ofAddress: 100 };

/** The APIs of a gateway have the same users. */
const scopedAttempts: Scoped<LoginAttempts> = { create: () => createLoginAttempts(limits) };
