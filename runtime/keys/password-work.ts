// Password hashing with limited concurrency, so that it does not delay everything else.

import type { GatewayScope, Scoped } from "../component/gateway-scope.ts";
import { FairSemaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import { argonTest, hashPassword } from "./argon.ts";
import type { PasswordTest } from "./passwords.ts";

/** A client that waits for work on a password. */
export interface PasswordClient {
  /** The address of the client, or the network of that address. */
  readonly network: string;
  /** Whether the account was used from that network before. */
  readonly isKnown: boolean;
}

/**
 * Slow work on passwords. Methods resolve with an error (503) if too many calls are waiting. Clients take turns, so a
 * client that sends many requests delays only itself.
 */
export interface PasswordWork {
  /** Returns the same queue for a client. Without it, all calls count as those of one client. */
  of(client: PasswordClient): PasswordWork;
  /** Verifies a password. `test` is absent if there is no such user, which takes equally long. */
  verify(password: string, test: Pick<PasswordTest, "verify"> | undefined): Promise<boolean | GatewayError>;
  /** Returns the hash of a new password. */
  hash(password: string): Promise<string | GatewayError>;
}

/** The queues: one for callers of APIs and one for people at the portal, so that neither delays the other. */
export type PasswordQueue = "callers" | "portal";

/** The maximum concurrency per queue. Node has four threads for this and needs one for files and DNS lookups. */
const mostAtOnce: Readonly<Record<PasswordQueue, number>> = { callers: 2, portal: 1 };
/** The maximum number of waiting calls of known clients, and the same number for others. */
const mostWaiting = 64;

/** The hash with which passwords of unknown users are compared. None matches it, and it costs as much as a real one. */
const unknownUser =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** Returns the password work of a queue. All parts of a gateway that use the queue share its turns. */
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
