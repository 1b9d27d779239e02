// The connected clients of one output, taking turns.

import type { Delivered, Demand } from "./component.ts";
import { GatewayError } from "./errors.ts";
import type { Batch, Message } from "./message.ts";

/** Somebody who takes messages. */
export interface PoolClient {
  /** Whether it can take one more message now. */
  isReady(): boolean;
  /**
   * Sends, and calls `confirm` the moment the bytes have left: a promise would tell too late, after the
   * connection's own end. When it cannot send, the client leaves.
   */
  send(message: Message, confirm: () => void): void;
  /** Ends the connection politely. */
  end(): void;
}

/** A client's place in the pool. */
export interface Membership {
  /** To be called whenever the client becomes ready after it was not. */
  ready(): void;
  /** To be called when the client is gone; what it had not got goes to the next. */
  leave(): void;
}

interface Job {
  readonly message: Message;
  /** Jobs go out in this order, also those that come back. */
  readonly order: number;
  readonly confirm: () => void;
  readonly refuse: (error: GatewayError) => void;
}

interface Member {
  readonly client: PoolClient;
  /** Given to the client and not confirmed yet. */
  readonly pending: Set<Job>;
}

/**
 * Gives each message to exactly one client, in strict rotation over those that are ready. A client that
 * leaves before its messages left the process gives them back, and they go first to whoever is next.
 * Messages wait while nobody is there.
 */
export class ClientPool implements Demand {
  readonly #members: Member[] = [];
  readonly #listeners = new Set<() => void>();
  /** Sorted by `order`. */
  #waiting: Job[] = [];
  #turn = 0;
  #lastOrder = 0;
  #closed = false;
  #released = false;

  get wanted(): boolean {
    return this.#members.length > 0;
  }

  get clients(): number {
    return this.#members.length;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  release(): void {
    if (this.#members.length > 0) return;
    this.#released = true;
    this.#refuseWaiting(nobodyIsThere());
  }

  /** Adds a client at the end of the rotation; ends it at once when the pool is closed. */
  join(client: PoolClient): Membership {
    const member: Member = { client, pending: new Set() };
    if (this.#closed) client.end();
    else {
      this.#released = false;
      this.#members.push(member);
      if (this.#members.length === 1) this.#notify();
      this.#dispatch();
    }
    return { ready: () => this.#dispatch(), leave: () => this.#remove(member) };
  }

  /** Resolves once every message has left to a client. */
  async write(batch: Batch): Promise<Delivered> {
    if (this.#closed) throw closing();
    if (this.#released) throw nobodyIsThere();
    const outcomes = batch.map(
      (message) =>
        new Promise<void>((confirm, refuse) => {
          this.#lastOrder += 1;
          this.#waiting.push({ message, order: this.#lastOrder, confirm, refuse });
        }),
    );
    this.#dispatch();
    const settled = await Promise.allSettled(outcomes);
    for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
    return {};
  }

  /** Refuses what waits and ends every client. */
  close(): void {
    this.#closed = true;
    this.#refuseWaiting(closing());
    for (const { client } of [...this.#members]) client.end();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const member = this.#takeTurn();
      if (member === undefined) return;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      member.pending.add(job);
      member.client.send(job.message, () => this.#confirm(member, job));
    }
  }

  /** The next client in rotation that is ready. */
  #takeTurn(): Member | undefined {
    const count = this.#members.length;
    for (let step = 0; step < count; step += 1) {
      const position = (this.#turn + step) % count;
      const member = this.#members[position];
      if (member?.client.isReady()) {
        this.#turn = position + 1;
        return member;
      }
    }
    return undefined;
  }

  #confirm(member: Member, job: Job): void {
    if (!member.pending.delete(job)) return; // it came back when the client left
    job.confirm();
    this.#dispatch();
  }

  #remove(member: Member): void {
    const position = this.#members.indexOf(member);
    if (position === -1) return;
    this.#members.splice(position, 1);
    if (position < this.#turn) this.#turn -= 1;
    this.#waiting = [...member.pending, ...this.#waiting].sort((a, b) => a.order - b.order);
    member.pending.clear();
    if (this.#closed) this.#refuseWaiting(closing());
    if (this.#members.length === 0) this.#notify();
    this.#dispatch();
  }

  #refuseWaiting(failure: GatewayError): void {
    for (const job of this.#waiting.splice(0)) job.refuse(failure);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Not retryable: whoever holds the write is to give it back, so that the input can let go of it. */
function nobodyIsThere(): GatewayError {
  return new GatewayError(503, "No client is connected", { retryable: false });
}

function closing(): GatewayError {
  return new GatewayError(503, "Gateway is closing", { retryable: false });
}
