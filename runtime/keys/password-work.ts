// Password hashing, limited to a few at a time so that it does not hold up everything else.

import type { GatewayScope, Scoped } from "../component/gateway-scope.ts";
import { FairSemaphore } from "../concurrency/semaphore.ts";
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
  const verifyUnknown = argonTest(unknownUser) ?? never;
  return workOf({ turns: gateway.get(scopedQueues)[queue], verifyUnknown }, { network: "", isKnown: false });
}

interface PasswordTurns {
  readonly turns: FairSemaphore;
  readonly verifyUnknown: PasswordTest["verify"];
}

function workOf(shared: PasswordTurns, client: PasswordClient): PasswordWork {
  const { turns, verifyUnknown } = shared;
  const inTurn = async <T>(work: () => Promise<T>): Promise<T | GatewayError> =>
    (await turns.use(client.network, work, client.isKnown)) ??
    new GatewayError(503, "Too many logins", { retryAfter: 1, reason: "too_many_logins" });
  return {
    of: (other) => workOf(shared, other),
    async verify(password, test) {
      const isRight = await inTurn(() => (test?.verify ?? verifyUnknown)(password));
      return test === undefined && !(isRight instanceof GatewayError) ? false : isRight;
    },
    hash: (password) => inTurn(() => hashPassword(password)),
  };
}

async function never(): Promise<boolean> {
  return false;
}

const scopedQueues: Scoped<Readonly<Record<PasswordQueue, FairSemaphore>>> = {
  create: () => ({
    callers: new FairSemaphore(mostAtOnce.callers, mostWaiting),
    portal: new FairSemaphore(mostAtOnce.portal, mostWaiting),
  }),
};
