// The right by which one connection is open, and its effect on the streams.

import type { WebSocket } from "ws";
import type {
  Join,
  JoinNow,
  MessageGates,
  PoolClient,
  PoolMembership,
  Receipt,
} from "../../component/message-gates.ts";
import { pause } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import type { CallQuotas, CallRight } from "../../http/call.ts";
import type { Caller } from "../../keys/session.ts";
import type { Message } from "../../message/message.ts";
import type { EncodedPositions } from "../../message/positions.ts";

/** Milliseconds between attempts to evaluate a right that could not be evaluated. */
const retryEvery = 100;

/**
 * When something is due: at a date (Unix milliseconds), as credentials specify it, or at a time of
 * `performance.now()`, after an interval that changes of the system clock do not affect.
 */
export interface DueTime {
  readonly date: number;
  readonly clock: number;
}

/** Returns the sooner time of each clock. */
export function sooner(one: DueTime, other: DueTime): DueTime {
  if (one.date <= other.date && one.clock <= other.clock) return one;
  return { date: Math.min(one.date, other.date), clock: Math.min(one.clock, other.clock) };
}

/** Whether one of the times has passed. */
export function isPast({ date, clock }: DueTime): boolean {
  return date <= Date.now() || clock <= performance.now();
}

/** The evaluator of rights, as a right sees it. */
export interface RightJudge {
  /** A number that increases with each change that rights depend on. */
  readonly changes: number;
  /** Starts the evaluation of due rights; resolves when the round is over. */
  judgeDue(): Promise<void>;
  /** Starts to watch quotas; continues as long as one counts the caller of an open connection. */
  watchQuotas(): void;
}

/**
 * The right of a connection. It is in doubt from when a change is known until it has been evaluated again. While in
 * doubt, no message is sent to the client, and no message of the client is processed.
 */
export class OpenRight implements CallRight {
  rule: CallRight["rule"];
  quotas: CallQuotas | undefined;
  hasEndlessAnswer = false;
  /** The WebSocket, if a stream has opened one. */
  socket: WebSocket | undefined;
  tunnel: CallRight["tunnel"];
  /** The events that the proxy passes on. */
  passed: PassedOn | undefined;
  /** Why the right has ended. */
  ended: GatewayError | undefined;
  /** Set after undecided attempts: the times of the first attempt and of the next one, by `performance.now()`. */
  undecided: { readonly since: number; readonly retry: number } | undefined;
  readonly #judge: RightJudge;
  readonly #servedUntil: number;
  #caller: Caller;
  #judgedAt: number;
  #expires = Number.POSITIVE_INFINITY;
  #askAgain = Number.POSITIVE_INFINITY;
  #limits: MessageGates | undefined;
  #memberships: PoolMembership[] | undefined;

  /**
   * `changes`: the number of changes that `judge` knew of when `caller` was looked up. `servedUntil`: Unix
   * milliseconds until which the API is served.
   */
  constructor(
    judge: RightJudge,
    caller: Caller,
    changes: number,
    servedUntil: number = Number.POSITIVE_INFINITY,
  ) {
    this.#judge = judge;
    this.#servedUntil = servedUntil;
    this.#caller = caller;
    this.#judgedAt = changes;
    this.#note(caller);
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Whether something changed since the right was last evaluated. */
  get isInDoubt(): boolean {
    return this.#judgedAt !== this.#judge.changes;
  }

  /** When the right must be evaluated again, even if nothing is known to have changed. */
  get due(): DueTime {
    if (this.undecided !== undefined) return { date: Number.POSITIVE_INFINITY, clock: this.undecided.retry };
    return { date: this.#expires, clock: this.#askAgain };
  }

  /** Renews the right with a caller that was looked up when `changes` changes were known. */
  renew(caller: Caller, changes: number): void {
    this.#caller = caller;
    this.#judgedAt = changes;
    this.undecided = undefined;
    this.#note(caller);
    for (const membership of this.#memberships ?? []) membership.ready();
  }

  watchQuotas(): void {
    this.#judge.watchQuotas();
  }

  follow(stop: () => void): (piece: Buffer) => void {
    const boundaries = new EventBoundaries();
    this.passed = { boundaries, stop };
    return (piece) => boundaries.pass(piece);
  }

  and(limits: MessageGates): MessageGates {
    this.#limits = limits;
    return this;
  }

  watch(socket: WebSocket): void {
    this.socket = socket;
    this.#limits?.watch(socket);
  }

  get holds(): boolean {
    return this.ended === undefined && !this.isInDoubt && Date.now() < this.#expires;
  }

  async whenHeld(signal: AbortSignal): Promise<void> {
    while (!this.holds) {
      if (this.ended !== undefined) throw this.ended;
      await this.#judge.judgeDue();
      if (!this.holds && this.ended === undefined) await pause(retryEvery, signal);
      if (signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
    }
  }

  async fromClient(signal: AbortSignal): Promise<void> {
    await this.whenHeld(signal);
    await this.#limits?.fromClient(signal);
  }

  toClient(join: JoinNow): JoinNow;
  toClient(join: Join): Join;
  toClient(join: Join): Join {
    const limited = this.#limits?.toClient(join) ?? join;
    return (client) => {
      const joined = limited(new RightfulClient(client, () => this.holds));
      return joined instanceof Promise ? joined.then((each) => this.#keep(each)) : this.#keep(joined);
    };
  }

  #keep(membership: PoolMembership): PoolMembership {
    this.#memberships = [...(this.#memberships ?? []), membership];
    return membership;
  }

  #note({ session, expires = Number.POSITIVE_INFINITY, askAgain = Number.POSITIVE_INFINITY }: Caller): void {
    const ofSession = session?.expires === undefined ? Number.POSITIVE_INFINITY : session.expires * 1000;
    this.#expires = Math.min(ofSession, expires, this.#servedUntil);
    this.#askAgain = askAgain;
  }
}

/** Events that pass through the proxy to a client. */
export interface PassedOn {
  readonly boundaries: { readonly isBetween: boolean };
  /** Stops passing events on. */
  stop(): void;
}

/** Finds the boundaries of events: an empty line ends an event (HTML, section 9.2.5). */
class EventBoundaries {
  #last = "\n\n";

  get isBetween(): boolean {
    return this.#last.replaceAll("\r\n", "\n").replaceAll("\r", "\n").endsWith("\n\n");
  }

  pass(piece: Buffer): void {
    // Two line ends have at most four bytes.
    this.#last = (this.#last + piece.toString("latin1", Math.max(0, piece.length - 4))).slice(-4);
  }
}

/** A client that is ready only while its right holds. */
class RightfulClient implements PoolClient {
  readonly #client: PoolClient;
  readonly #holds: () => boolean;
  readonly sendBatch: PoolClient["sendBatch"];

  constructor(client: PoolClient, holds: () => boolean) {
    this.#client = client;
    this.#holds = holds;
    this.sendBatch = client.sendBatch && ((batch, confirm) => client.sendBatch?.(batch, confirm));
  }

  isReady(): boolean {
    return this.#holds() && this.#client.isReady();
  }

  get ignoresIds(): boolean {
    return this.#client.ignoresIds === true;
  }

  get confirmsTogether(): boolean {
    return this.#client.confirmsTogether === true;
  }

  send(message: Message, receipt: Receipt, id?: EncodedPositions): void {
    this.#client.send(message, receipt, id);
  }

  end(isReplaced: boolean): void {
    this.#client.end(isReplaced);
  }
}
