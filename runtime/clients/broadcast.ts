// The connected clients of an output that sends every message to all of them.

import {
  type Clients,
  clientRetryDelays,
  clientsAreLeaving,
  DemandListeners,
  noClientIsThere,
  refusalOf,
} from "../component/clients.ts";
import type { Delivered, OutcomeListener } from "../component/component.ts";
import type { PoolClient, PoolMembership, Receipt } from "../component/message-gates.ts";
import { CountedWrite, ListenedOutcome, type MessageOutcome } from "../component/outcomes.ts";
import { backoffStep } from "../concurrency/backoff.ts";
import { Fifo } from "../concurrency/fifo.ts";
import type { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { EncodedPositions, Positions } from "../message/positions.ts";
import type { EventIds } from "./event-ids.ts";

interface Job {
  readonly message: Message;
  /** The event id that a client with this message can resume from. */
  id: EncodedPositions | undefined;
  /** The number of clients that have not confirmed the message yet. */
  missing: number;
  readonly write: MessageOutcome;
}

/** One client of the broadcast. */
class Member implements PoolMembership {
  readonly client: PoolClient;
  /** Messages that the client has not confirmed, in order. */
  readonly unconfirmed = new Fifo<Job>();
  /** The number of these messages that were sent to it or returned by it; the others follow. */
  sent = 0;
  /** Messages to offer again, the next one last. Created on demand. */
  again: Job[] | undefined = undefined;
  /** Messages that the client returned and has not confirmed since. Created on demand: few clients return messages. */
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
  finish(member: Member, job: Job): void;
  takeBack(member: Member, job: Job): void;
}

/** One message on its way to one client. */
class Sending implements Receipt {
  readonly #events: MemberEvents;
  readonly #member: Member;
  readonly #job: Job;

  constructor(events: MemberEvents, member: Member, job: Job) {
    this.#events = events;
    this.#member = member;
    this.#job = job;
  }

  confirm(): void {
    this.#events.finish(this.#member, this.#job);
  }

  giveBack(): void {
    this.#events.takeBack(this.#member, this.#job);
  }
}

interface Returned {
  readonly times: number;
  /** Ends the pause before the message is offered to the client again. */
  readonly timer: NodeJS.Timeout;
}

/**
 * Sends each message to every client that is connected when the message is written, in the order of writing. A message is
 * confirmed when each of these clients has confirmed it or has left. A client that accepts nothing holds up the others until
 * it is dropped, so that its queue stays bounded. While no client is connected, messages wait for the first one.
 */
export class Broadcast implements Clients {
  readonly #members = new Set<Member>();
  readonly #listeners = new DemandListeners();
  /** Messages that were written while no client was connected. */
  readonly #waiting: Job[] = [];
  /** Messages written in this turn. The results of one source message are written together and share a position. */
  #fresh: Job[] = [];
  /** For each part of the source, the offset after the newest message that was written. */
  readonly #written = new Map<string, bigint>();
  #ids: EventIds | undefined;
  /** The number of members that use ids. */
  #idReaders = 0;
  #generation: (() => number) | undefined;
  /** The generation of the source that `#written` describes. */
  #writtenOf: number | undefined;
  readonly #events: MemberEvents = {
    dispatch: (member) => this.#dispatch(member),
    remove: (member) => this.#remove(member),
    finish: (member, job) => this.#finish(member, job),
    takeBack: (member, job) => this.#takeBack(member, job),
  };
  #closed = false;
  #isReplaced = false;
  #released = false;

  /** For each part of the source, the offset after the newest message that was written. */
  get written(): Positions {
    return this.#written;
  }

  /**
   * Gives messages event ids from now on, so that clients can resume. The positions that were written stay valid until
   * `generation` returns another number, which means that another source has replaced this one.
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
      if (client.ignoresIds !== true) this.#idReaders += 1;
      for (const job of this.#waiting.splice(0)) this.#give(job, [member]);
      if (this.#members.size === 1) this.#listeners.notify();
    }
    return member;
  }

  write(batch: Batch): Promise<Delivered> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const write = new CountedWrite(batch.length);
    for (const message of batch) this.#add({ message, id: undefined, missing: 0, write });
    return write.settled;
  }

  writeEach(messages: Batch, listener: OutcomeListener): void {
    // No client has a refused message: it must not count in event ids, nor in `written`.
    const refusal = this.#refusal();
    for (const [index, message] of messages.entries()) {
      const write = new ListenedOutcome(listener, index);
      if (refusal === undefined) this.#add({ message, id: undefined, missing: 0, write });
      else write.refuse(refusal);
    }
  }

  close(isReplaced: boolean): void {
    this.#closed = true;
    this.#isReplaced = isReplaced;
    this.#refuse(this.#waiting.splice(0), clientsAreLeaving());
    for (const { client } of [...this.#members]) client.end(isReplaced);
  }

  /** Returns why messages are refused now, if they are. */
  #refusal(): GatewayError | undefined {
    return refusalOf(this.#closed, this.#released);
  }

  #add(job: Job): void {
    this.#fresh.push(job);
    if (this.#fresh.length === 1) queueMicrotask(() => this.#distribute());
  }

  #distribute(): void {
    const jobs = this.#fresh.splice(0);
    this.#ids?.expectAll(jobs);
    // A message that waits goes to a client that is not known yet.
    const isIdentified = this.#idReaders > 0 || this.#members.size === 0;
    if (isIdentified) this.#ids?.identify(jobs);
    for (const job of jobs) {
      if (!isIdentified && this.#members.size > 0) this.#ids?.pass(job.message);
      else if (!isIdentified) job.id = this.#ids?.idAfter(job.message);
      this.#note(job.message);
      const refusal = this.#refusal();
      if (refusal !== undefined) job.write.refuse(refusal);
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
    for (const member of given) this.#dispatch(member);
  }

  #dispatch(member: Member): void {
    for (;;) {
      const job = member.again?.at(-1) ?? member.unconfirmed.at(member.sent);
      if (job === undefined || !member.client.isReady()) return;
      if (member.again?.pop() === undefined) member.sent += 1;
      member.client.send(job.message, new Sending(this.#events, member, job), job.id);
    }
  }

  /** Offers a message to the same client again after a backoff: all other clients have it already. */
  #takeBack(member: Member, job: Job): void {
    if (!member.unconfirmed.has(job)) return; // it has left
    member.returned ??= new Map();
    const times = member.returned.get(job)?.times ?? 0;
    const timer = setTimeout(
      () => {
        member.again ??= [];
        member.again.push(job);
        this.#dispatch(member);
      },
      backoffStep(times, clientRetryDelays),
    );
    member.returned.set(job, { times: times + 1, timer });
  }

  #finish(member: Member, job: Job): void {
    member.returned?.delete(job);
    // Nearly always the oldest message.
    if (!member.unconfirmed.delete(job)) return; // it has left
    member.sent -= 1;
    job.missing -= 1;
    if (job.missing === 0) job.write.confirm();
    this.#dispatch(member);
  }

  /**
   * Removes a client. If the source has positions, the client can ask for unconfirmed messages when it resumes, so they delay
   * no other client. The messages of the last client wait for the next one that connects.
   */
  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    if (member.client.ignoresIds !== true) this.#idReaders -= 1;
    for (const { timer } of member.returned?.values() ?? []) clearTimeout(timer);
    const isLast = this.#members.size === 0;
    for (const job of member.unconfirmed.splice(0)) {
      job.missing -= 1;
      if (job.missing > 0) continue;
      if (!isLast) job.write.confirm();
      else if (this.#closed) job.write.refuse(clientsAreLeaving());
      else this.#waiting.push(job);
    }
    if (isLast && this.#waiting.some(({ id }) => id === undefined)) this.#identifyAgain(this.#waiting);
    if (isLast) this.#listeners.notify();
  }

  /** Gives ids to messages that were sent only to clients that ignore ids: the next client may use them. */
  #identifyAgain(jobs: readonly Job[]): void {
    this.#ids?.takeBack(jobs.map(({ message }) => message));
    this.#ids?.identify(jobs);
  }

  #refuse(jobs: readonly Job[], failure: GatewayError): void {
    for (const job of jobs) job.write.refuse(failure);
  }
}
