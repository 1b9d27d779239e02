// The connected clients of one output, each of which gets every message.

import {
  type Clients,
  clientRetryDelays,
  clientsAreLeaving,
  DemandListeners,
  noClientIsThere,
} from "../component/clients.ts";
import type { Delivered } from "../component/component.ts";
import type { PoolClient, PoolMembership } from "../component/message-gates.ts";
import { CountedWrite } from "../component/outcomes.ts";
import { backoffStep } from "../concurrency/backoff.ts";
import type { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Positions } from "../message/positions.ts";
import type { EventIds } from "./event-ids.ts";

interface Job {
  readonly message: Message;
  /** By what a client that has it may come back. */
  id: string | undefined;
  /** How many clients have not confirmed it yet. */
  missing: number;
  readonly write: CountedWrite;
}

/** A client among the others. */
class Member implements PoolMembership {
  readonly client: PoolClient;
  /** Not given to the client yet, in order. */
  readonly queue: Job[] = [];
  /** Not confirmed yet, in order: the queue, and what was given to the client. */
  readonly unconfirmed: Job[] = [];
  /** Returned by the client and not confirmed since; few clients return messages. */
  returned: Map<Job, Returned> | undefined = undefined;
  readonly #others: MemberEvents;

  constructor(client: PoolClient, others: MemberEvents) {
    this.client = client;
    this.#others = others;
  }

  ready(): void {
    this.#others.dispatch(this);
  }

  leave(): void {
    this.#others.remove(this);
  }
}

interface MemberEvents {
  dispatch(member: Member): void;
  remove(member: Member): void;
}

interface Returned {
  readonly times: number;
  /** Ends the pause before it is offered to the client again. */
  readonly timer: NodeJS.Timeout;
}

/**
 * Gives each message to every client that is connected when it comes, in the order of writing. It is confirmed when each
 * of them has confirmed it or has left; a client that takes nothing holds the others up until it is dropped, so that
 * nothing has to be kept for it without bound. Without a client messages wait for the first one that connects.
 */
export class Broadcast implements Clients {
  readonly #members = new Set<Member>();
  readonly #listeners = new DemandListeners();
  /** Written while there was no client. */
  readonly #waiting: Job[] = [];
  /** Written in this very moment: what came of one message is written at once, and counts together. */
  #fresh: Job[] = [];
  /** For each part of the source, what comes after the newest message that was written. */
  readonly #written = new Map<string, bigint>();
  #ids: EventIds | undefined;
  #generation: (() => number) | undefined;
  /** Of which source `#written` tells. */
  #writtenOf: number | undefined;
  readonly #events: MemberEvents = {
    dispatch: (member) => this.#dispatch(member),
    remove: (member) => this.#remove(member),
  };
  #closed = false;
  #isReplaced = false;
  #released = false;

  /** For each part of the source, what comes after the newest message that was written. */
  get written(): Positions {
    return this.#written;
  }

  /**
   * From now on messages have ids, by which clients that come back say where they were. What was written of a source
   * counts until another has taken its place, which `generation` tells.
   */
  follow(ids: EventIds, generation: () => number): void {
    this.#ids = ids;
    this.#generation = generation;
    this.#writtenOf = generation();
  }

  get wanted(): boolean {
    return this.#members.size > 0;
  }

  get clients(): number {
    return this.#members.size;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  release(): void {
    if (this.#members.size > 0) return;
    this.#released = true;
    this.#refuse(this.#waiting.splice(0), noClientIsThere());
  }

  join(client: PoolClient): PoolMembership {
    const member = new Member(client, this.#events);
    if (this.#closed) client.end(this.#isReplaced);
    else {
      this.#released = false;
      this.#members.add(member);
      for (const job of this.#waiting.splice(0)) this.#give(job, [member]);
      if (this.#members.size === 1) this.#listeners.notify();
    }
    return member;
  }

  write(batch: Batch): Promise<Delivered> {
    if (this.#closed) return Promise.reject(clientsAreLeaving());
    if (this.#released) return Promise.reject(noClientIsThere());
    const write = new CountedWrite(batch.length);
    for (const message of batch) this.#add({ message, id: undefined, missing: 0, write });
    return write.settled;
  }

  close(isReplaced: boolean): void {
    this.#closed = true;
    this.#isReplaced = isReplaced;
    this.#refuse(this.#waiting.splice(0), clientsAreLeaving());
    for (const { client } of [...this.#members]) client.end(isReplaced);
  }

  #add(job: Job): void {
    this.#ids?.expect(job.message);
    this.#fresh.push(job);
    if (this.#fresh.length === 1) queueMicrotask(() => this.#distribute());
  }

  #distribute(): void {
    for (const job of this.#fresh.splice(0)) {
      job.id = this.#ids?.idAfter(job.message);
      this.#note(job.message);
      if (this.#closed) job.write.refuse(clientsAreLeaving());
      else if (this.#released) job.write.refuse(noClientIsThere());
      else if (this.#members.size === 0) this.#waiting.push(job);
      else this.#give(job, this.#members);
    }
  }

  #note({ position }: Message): void {
    if (position === undefined) return;
    const generation = this.#generation?.();
    if (generation !== this.#writtenOf) {
      this.#written.clear();
      this.#writtenOf = generation;
    }
    const before = this.#written.get(position.part) ?? 0n;
    if (position.offset >= before) this.#written.set(position.part, position.offset + 1n);
  }

  #give(job: Job, members: Iterable<Member>): void {
    const given = [...members];
    job.missing = given.length;
    for (const member of given) member.unconfirmed.push(job);
    for (const member of given) {
      member.queue.push(job);
      this.#dispatch(member);
    }
  }

  #dispatch(member: Member): void {
    while (member.queue.length > 0 && member.client.isReady()) {
      const job = member.queue.shift();
      if (job === undefined) return;
      member.client.send(
        job.message,
        () => this.#finish(member, job),
        () => this.#takeBack(member, job),
        job.id,
      );
    }
  }

  /** All other clients have it, so it is offered to the same client again, after a growing pause. */
  #takeBack(member: Member, job: Job): void {
    if (!member.unconfirmed.includes(job)) return; // it has left
    member.returned ??= new Map();
    const times = member.returned.get(job)?.times ?? 0;
    const timer = setTimeout(
      () => {
        member.queue.unshift(job);
        this.#dispatch(member);
      },
      backoffStep(times, clientRetryDelays),
    );
    member.returned.set(job, { times: times + 1, timer });
  }

  #finish(member: Member, job: Job): void {
    member.returned?.delete(job);
    // Nearly always the oldest one.
    const position = member.unconfirmed.indexOf(job);
    if (position === -1) return; // it has left
    if (position === 0) member.unconfirmed.shift();
    else member.unconfirmed.splice(position, 1);
    job.missing -= 1;
    if (job.missing === 0) job.write.confirm();
    this.#dispatch(member);
  }

  /**
   * What a client did not get before it left it can ask for when it comes back, where the source has positions; it
   * delays no other client. Only if it was the last one, its messages wait for the next.
   */
  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    for (const { timer } of member.returned?.values() ?? []) clearTimeout(timer);
    const isLast = this.#members.size === 0;
    for (const job of member.unconfirmed.splice(0)) {
      job.missing -= 1;
      if (job.missing > 0) continue;
      if (!isLast) job.write.confirm();
      else if (this.#closed) job.write.refuse(clientsAreLeaving());
      else this.#waiting.push(job);
    }
    if (isLast) this.#listeners.notify();
  }

  #refuse(jobs: readonly Job[], failure: GatewayError): void {
    for (const job of jobs) job.write.refuse(failure);
  }
}
