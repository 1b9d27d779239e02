// Verifying passwords without letting that hold up everything else: a few at a time, and not again for a while.

import { createHmac, randomBytes } from "node:crypto";
import { GatewayError } from "../../errors.ts";
import { argonTest } from "../../keys/argon.ts";
import { BoundedCache } from "../../keys/bounded-cache.ts";
import type { PasswordTest } from "../../keys/passwords.ts";
import { Turns } from "../../turns.ts";

export interface Passwords {
  /**
   * Whether it is the password of a user; `test` is absent where there is none, which takes as long. An error where so
   * many are being verified that this one could only wait.
   */
  verify(name: string, password: string, test: PasswordTest | undefined): Promise<boolean | GatewayError>;
}

/** Node has four threads for work like this, and needs some of them for files and names of hosts. */
const mostAtOnce = 2;
const mostWaiting = 64;
const mostRemembered = 10_000;

/** What unknown users are held against: no password has it, and it costs as much as that of a user. */
const nobody =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** Passwords that were right are remembered for `age` milliseconds, as what only this process can recognise. */
export function createPasswords(gateway: object, age: number): Passwords {
  const secret = randomBytes(32);
  const right = new BoundedCache<true>(mostRemembered, age, () => performance.now());
  const verifyNobody = argonTest(nobody);
  const turns = turnsOf(gateway);
  return {
    async verify(name, password, test) {
      const known = createHmac("sha256", secret)
        .update(JSON.stringify([name, password, test?.id ?? ""]))
        .digest("base64");
      if (test !== undefined && right.get(known)) return true;
      if (turns.waiting >= mostWaiting)
        return new GatewayError(503, "Too many logins", { retryAfter: 1, reason: "too_many_logins" });
      const isRight = await turns.take(() => (test?.verify ?? verifyNobody ?? never)(password));
      if (test === undefined) return false;
      if (isRight && age > 0) right.set(known, true);
      return isRight;
    },
  };
}

async function never(): Promise<boolean> {
  return false;
}

/** All APIs of a gateway verify passwords in turn. */
const turnsByGateway = /* @__PURE__ */ new WeakMap<object, Turns>();

function turnsOf(gateway: object): Turns {
  const turns = turnsByGateway.get(gateway) ?? new Turns(mostAtOnce);
  turnsByGateway.set(gateway, turns);
  return turns;
}
