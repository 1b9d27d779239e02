// Password hashing, limited to a few at a time so that it does not hold up everything else.

import type { GatewayScope, Scoped } from "../component/gateway-scope.ts";
import { attempt } from "../concurrency/promises.ts";
import { FairQueue } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import { argonTest, hashPassword } from "./argon.ts";
import type { PasswordTest } from "./passwords.ts";

/** Who waits for work on a password. */
export interface PasswordClient {
  /** The address that it asks from, or the network of that address. */
  readonly network: string;
  /** Whether the account has been used from there before. */
  readonly isKnown: boolean;
}

/**
 * Slow work on passwords. It resolves with an error (503) where too many calls wait already. Clients take turns, so that
 * one that sends many waits for itself.
 */
export interface PasswordWork {
  /** The same queue, in the turn of a client; without it all calls are those of one. */
  of(client: PasswordClient): PasswordWork;
  /** Whether it is the password; `test` is absent where there is no such user, which takes as long. */
  verify(password: string, test: Pick<PasswordTest, "verify"> | undefined): Promise<boolean | GatewayError>;
  /** The hash of a new password. */
  hash(password: string): Promise<string | GatewayError>;
}

/** Callers of APIs, and people at the portal: each have a queue, so that neither holds up the other. */
export type PasswordQueue = "callers" | "portal";

/** Node has four threads for such work, and needs one of them for files and DNS lookups. */
const mostAtOnce: Readonly<Record<PasswordQueue, number>> = { callers: 2, portal: 1 };
/** Calls of clients that are known, and as many of others. */
const mostWaiting = 64;

/** The hash that passwords of unknown users are compared with: none matches, and it costs as much as a real one. */
const unknownUser =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** All parts of a gateway that use a queue share its turns. */
export function passwordWork(gateway: GatewayScope, queue: PasswordQueue): PasswordWork {
  return workOf(gateway.get(scopedQueues)[queue], { network: "", isKnown: false });
}

function workOf(turns: Turns, client: PasswordClient): PasswordWork {
  const verifyUnknown = argonTest(unknownUser) ?? never;
  return {
    of: (other) => workOf(turns, other),
    async verify(password, test) {
      const isRight = await turns.use(client, () => (test?.verify ?? verifyUnknown)(password));
      return test === undefined && !(isRight instanceof GatewayError) ? false : isRight;
    },
    hash: (password) => turns.use(client, () => hashPassword(password)),
  };
}

async function never(): Promise<boolean> {
  return false;
}

interface Waiter {
  admit(): void;
  refuse(): void;
}

/** Bounds how much work runs at once. Known clients and others are admitted alternately, and clients of each kind in turn. */
class Turns {
  readonly #limit: number;
  #running = 0;
  readonly #known = new FairQueue<Waiter>(mostWaiting);
  readonly #others = new FairQueue<Waiter>(mostWaiting);
  #queues = [this.#known, this.#others];

  constructor(limit: number) {
    this.#limit = limit;
  }

  async use<T>(client: PasswordClient, work: () => Promise<T>): Promise<T | GatewayError> {
    if (this.#running >= this.#limit) {
      if (!(await this.#admitted(client)))
        return new GatewayError(503, "Too many logins", { retryAfter: 1, reason: "too_many_logins" });
    } else this.#running += 1;
    return attempt(work).finally(() => this.#end());
  }

  /** Resolves with false where too many wait; what is admitted runs already. */
  #admitted({ network, isKnown }: PasswordClient): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter = { admit: () => resolve(true), refuse: () => resolve(false) };
      (isKnown ? this.#known : this.#others).add(network, waiter)?.refuse();
    });
  }

  #end(): void {
    this.#queues.reverse();
    const next = this.#queues[0]?.next() ?? this.#queues[1]?.next();
    if (next === undefined) this.#running -= 1;
    else next.admit();
  }
}

const scopedQueues: Scoped<Readonly<Record<PasswordQueue, Turns>>> = {
  create: () => ({ callers: new Turns(mostAtOnce.callers), portal: new Turns(mostAtOnce.portal) }),
};
