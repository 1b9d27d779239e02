// Applies the message rates of the session and the API to one connection.

import type { WebSocket } from "ws";
import type { Join, JoinNow, MessageGates, PoolClient, PoolMembership } from "../component/message-gates.ts";
import { pause } from "../concurrency/backoff.ts";
import { GatewayError } from "../errors.ts";
import type { KeyRateLimit, MessageLimits } from "../keys/session.ts";
import { closeSocket } from "../sockets/frames.ts";
import { type Bucket, excessOf, type Leak } from "./bucket.ts";
import type { Clock } from "./memory-counters.ts";

/**
 * Returns the gates of one connection by all of `limits`; `undefined` if none of them limits anything. If one of them
 * closes clients that send too fast, the socket is closed; otherwise messages wait, and the socket is read again once
 * they passed.
 */
export function createMessageGates(limits: readonly MessageLimits[], clock: Clock): MessageGates | undefined {
  const incoming = createPace(
    limits.flatMap(({ fromClient }) => fromClient ?? []),
    clock,
  );
  const outgoing = createPace(
    limits.flatMap(({ toClient }) => toClient ?? []),
    clock,
  );
  if (incoming === undefined && outgoing === undefined) return undefined;
  const toClient = outgoing === undefined ? passing : paceClients(outgoing);
  if (incoming === undefined) return { watch() {}, async fromClient() {}, toClient };
  const closes = limits.some(({ fromClient, whenExceeded }) => fromClient && whenExceeded === "close");
  return closes
    ? { ...closing(incoming), toClient }
    : { watch() {}, fromClient: createQueue(incoming), toClient };
}

type Incoming = Pick<MessageGates, "watch" | "fromClient">;

/** Closes a socket at the first message over the rate, even if its messages are not being read. */
function closing(pace: Pace): Incoming {
  let isExceeded = false;
  return {
    watch(socket: WebSocket) {
      socket.on("message", () => {
        if (isExceeded) return;
        isExceeded = pace.wait() > 0;
        pace.count();
        if (isExceeded) closeSocket(socket, 1008, "too many messages");
      });
    },
    async fromClient() {
      if (isExceeded) throw new GatewayError(429, "Too many messages");
    },
  };
}

function passing<J>(join: J): J {
  return join;
}

/** Rates that count together. */
interface Pace {
  /** Returns the milliseconds until one more may pass; 0 if it may pass now. */
  wait(): number;
  /** Counts one, even over the rate. */
  count(): void;
}

const microseconds = 1_000_000;
const microsecondsPerMillisecond = 1_000;

/** Combines rates; `undefined` if none of `rates` limits anything. */
export function createPace(rates: readonly KeyRateLimit[], clock: Clock): Pace | undefined {
  const leaks = rates
    .filter(({ rate, per }) => rate > 0 && per > 0)
    .map(({ rate, per }): [Leak, Bucket] => [
      { rate, per: Math.round(per * microseconds) },
      { level: 0, at: 0 },
    ]);
  if (leaks.length === 0) return undefined;
  return {
    wait() {
      const time = clock();
      const excess = Math.max(...leaks.map(([leak, bucket]) => excessOf(leak, bucket, time)));
      return Math.ceil(excess / microsecondsPerMillisecond);
    },
    count() {
      for (const [leak, bucket] of leaks) bucket.level += leak.per;
    },
  };
}

/** Returns a queue that lets one caller pass at a time; rejects with a `GatewayError` if the signal is aborted. */
export function createQueue(pace: Pace): (signal: AbortSignal) => Promise<void> {
  let last = Promise.resolve();

  async function pass(signal: AbortSignal): Promise<void> {
    for (let wait = pace.wait(); wait > 0; wait = pace.wait()) {
      if (signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
      await pause(wait, signal);
    }
    pace.count();
  }

  return (signal) => {
    const turn = last.then(() => pass(signal));
    last = turn.catch(() => undefined); // the waiting caller gets the failure
    return turn;
  };
}

/** Wraps joining, so that clients report to be ready only as often as they may get something. */
export function paceClients(pace: Pace): { (join: JoinNow): JoinNow; (join: Join): Join } {
  function by(join: JoinNow): JoinNow;
  function by(join: Join): Join;
  function by(join: Join): Join {
    return (client) => {
      const paced = createPacedClient(client, pace);
      const joined = join(paced.client);
      return joined instanceof Promise ? joined.then(paced.follow) : paced.follow(joined);
    };
  }
  return by;
}

function createPacedClient(client: PoolClient, pace: Pace) {
  let membership: PoolMembership | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;

  /** Reports the client as ready after the wait, as no caller polls. */
  function rest(): void {
    const wait = pace.wait();
    if (wait === 0 || hasLeft) return;
    timer = setTimeout(() => {
      timer = undefined;
      membership?.ready();
    }, wait);
  }

  return {
    client: {
      ignoresIds: client.ignoresIds === true,
      isReady: () => timer === undefined && client.isReady(),
      send(message, receipt, id) {
        pace.count();
        rest();
        client.send(message, receipt, id);
      },
      sendBatch:
        client.sendBatch &&
        ((batch, confirm) => {
          for (const _ of batch) pace.count();
          rest();
          client.sendBatch?.(batch, confirm);
        }),
      end: (isReplaced) => client.end(isReplaced),
    } satisfies PoolClient,
    follow(joined: PoolMembership): PoolMembership {
      membership = joined;
      return {
        ready: () => joined.ready(),
        leave() {
          hasLeft = true;
          clearTimeout(timer);
          joined.leave();
        },
      };
    },
  };
}
