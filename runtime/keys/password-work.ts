// Hashing passwords without letting that hold up everything else: a few at a time, whoever asks.

import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import { argonTest, hashPassword } from "./argon.ts";
import type { PasswordTest } from "./passwords.ts";

/** What takes its time with passwords; both give an error where so much waits that more could only wait. */
export interface PasswordWork {
  /** Whether it is the password; `test` is absent where there is no such user, which takes as long. */
  verify(password: string, test: Pick<PasswordTest, "verify"> | undefined): Promise<boolean | GatewayError>;
  /** The hash of a new password. */
  hash(password: string): Promise<string | GatewayError>;
}

/** Who waits for it: callers of APIs, and people at the portal. Neither holds up the other. */
export type PasswordQueue = "callers" | "portal";

/** Node has four threads for work like this, and needs one of them for files and names of hosts. */
const mostAtOnce: Readonly<Record<PasswordQueue, number>> = { callers: 2, portal: 1 };
const mostWaiting = 64;

/** What unknown users are held against: no password has it, and it costs as much as that of a user. */
const nobody =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** All parts of a gateway that share a queue do it in turn. */
export function passwordWork(gateway: object, queue: PasswordQueue): PasswordWork {
  const turns = turnsOf(gateway, queue);
  const verifyNobody = argonTest(nobody) ?? never;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T | GatewayError> =>
    turns.waiting >= mostWaiting
      ? new GatewayError(503, "Too many logins", { retryAfter: 1, reason: "too_many_logins" })
      : turns.use(work);
  return {
    async verify(password, test) {
      const isRight = await inTurn(() => (test?.verify ?? verifyNobody)(password));
      return test === undefined && !(isRight instanceof GatewayError) ? false : isRight;
    },
    hash: (password) => inTurn(() => hashPassword(password)),
  };
}

async function never(): Promise<boolean> {
  return false;
}

const turnsByGateway = /* @__PURE__ */ new WeakMap<object, Map<PasswordQueue, Semaphore>>();

function turnsOf(gateway: object, queue: PasswordQueue): Semaphore {
  const queues = turnsByGateway.get(gateway) ?? new Map<PasswordQueue, Semaphore>();
  const turns = queues.get(queue) ?? new Semaphore(mostAtOnce[queue]);
  turnsByGateway.set(gateway, queues.set(queue, turns));
  return turns;
}
