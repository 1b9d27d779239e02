// Verifying passwords of requests, and not again for a while.

import { createHmac, randomBytes } from "node:crypto";
import { BoundedCache } from "../../bounded-cache.ts";
import type { GatewayError } from "../../errors.ts";
import { passwordWork } from "../../keys/password-work.ts";
import type { PasswordTest } from "../../keys/passwords.ts";

export interface Passwords {
  /**
   * Whether it is the password of a user; `test` is absent where there is none, which takes as long. An error where so
   * many are being verified that this one could only wait.
   */
  verify(name: string, password: string, test: PasswordTest | undefined): Promise<boolean | GatewayError>;
}

const mostRemembered = 10_000;

/** Passwords that were right are remembered for `age` milliseconds, as what only this process can recognise. */
export function createPasswords(gateway: object, age: number): Passwords {
  const secret = randomBytes(32);
  const right = new BoundedCache<true>(mostRemembered, age, () => performance.now());
  const work = passwordWork(gateway);
  return {
    async verify(name, password, test) {
      const known = createHmac("sha256", secret)
        .update(JSON.stringify([name, password, test?.id ?? ""]))
        .digest("base64");
      if (test !== undefined && right.get(known)) return true;
      const isRight = await work.verify(password, test);
      if (isRight === true && age > 0) right.set(known, true);
      return isRight;
    },
  };
}
