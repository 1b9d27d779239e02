// Password hashing, limited to a few at a time so that it does not hold up everything else.

import type { GatewayScope, Scoped } from "../component/gateway-scope.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import { argonTest, hashPassword } from "./argon.ts";
import type { PasswordTest } from "./passwords.ts";

/** Slow work on passwords. Both resolve with an error (503) where too many calls wait already. */
export interface PasswordWork {
  /** Whether it is the password; `test` is absent where there is no such user, which takes as long. */
  verify(password: string, test: Pick<PasswordTest, "verify"> | undefined): Promise<boolean | GatewayError>;
  /** The hash of a new password. */
  hash(password: string): Promise<string | GatewayError>;
}

/** Callers of APIs, and people at the portal: each have a queue, so that neither holds up the other. */
export type PasswordQueue = "callers" | "portal";

/** Node has four threads for such work, and needs one of them for files and DNS lookups. */
const mostAtOnce: Readonly<Record<PasswordQueue, number>> = { callers: 2, portal: 1 };
const mostWaiting = 64;

/** The hash that passwords of unknown users are compared with: none matches, and it costs as much as a real one. */
const unknownUser =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** All parts of a gateway that use a queue share its semaphore. */
export function passwordWork(gateway: GatewayScope, queue: PasswordQueue): PasswordWork {
  const semaphore = gateway.get(scopedQueues)[queue];
  const verifyUnknown = argonTest(unknownUser) ?? never;
  const limited = async <T>(work: () => Promise<T>): Promise<T | GatewayError> =>
    semaphore.waiting >= mostWaiting
      ? new GatewayError(503, "Too many logins", { retryAfter: 1, reason: "too_many_logins" })
      : semaphore.use(work);
  return {
    async verify(password, test) {
      const isRight = await limited(() => (test?.verify ?? verifyUnknown)(password));
      return test === undefined && !(isRight instanceof GatewayError) ? false : isRight;
    },
    hash: (password) => limited(() => hashPassword(password)),
  };
}

async function never(): Promise<boolean> {
  return false;
}

const scopedQueues: Scoped<Readonly<Record<PasswordQueue, Semaphore>>> = {
  create: () => ({ callers: new Semaphore(mostAtOnce.callers), portal: new Semaphore(mostAtOnce.portal) }),
};
