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

/** The most messages that a client confirms behind one that it has not, before that one is set aside. */
const mostEarly = 256;

interface Job {
  readonly message: Message;
  /** The event id that a client with this message can resume from. */
  id: EncodedPositions | undefined;
  /** The number of clients that have not confirmed the message yet. */
  missing: number;
  readonly write: MessageOutcome;
}

/**
 * One client of the broadcast. Since all clients are sent the same messages in the same order, two places in the log tell
 * what it has.
 */
class Member implements PoolMembership {
  readonly client: PoolClient;
  /** The place of the oldest message that it has not confirmed, apart from those set aside. */
  unconfirmed: number;
  /** The place of the next message to send to it. */
  next: number;
  /** Later messages that it has confirmed. Created on demand: few clients confirm in another order. */
  early: Set<number> | undefined = undefined;
  /** Earlier messages that were set aside. Created on demand. */
  late: Set<number> | undefined = undefined;
  /** The places of messages to offer again, the next one last. Created on demand. */
  again: number[] | undefined = undefined;
  /** Messages that the client returned and has not confirmed since. Created on demand: few clients return messages. */
  returned: Map<number, Returned> | undefined = undefined;
  readonly #others: MemberEvents;

  /** `place`: that of its first message. */
  constructor(client: PoolClient, place: number, others: MemberEvents) {
    this.client = client;
    this.unconfirmed = place;
    this.next = place;
    this.#others = others;
  }

  /** Whether it has confirmed the message at a place. */
  has(place: number): boolean {
    if (place < this.unconfirmed) return this.late?.has(place) !== true;
    return this.early?.has(place) === true;
  }

  /** Notes that it has confirmed a message. Returns the place of a message that was set aside for that. */
  confirm(place: number): number | undefined {
    this.returned?.delete(place);
    if (place < this.unconfirmed) this.late?.delete(place);
    else if (place === this.unconfirmed) this.#pass();
    else {
      this.early ??= new Set();
      this.early.add(place);
      if (this.early.size > mostEarly) {
        const aside = this.unconfirmed;
        this.late ??= new Set();
        this.late.add(aside);
        this.#pass();
        return aside;
      }
    }
    return undefined;
  }

  /** Forgets what was sent to it: it has left. */
  clear(): void {
    for (const { timer } of this.returned?.values() ?? []) clearTimeout(timer);
    this.unconfirmed = Number.POSITIVE_INFINITY;
    this.next = Number.POSITIVE_INFINITY;
    this.late = undefined;
    this.again = undefined;
  }

  /** Passes the oldest unconfirmed message, and later ones that it had confirmed before. */
  #pass(): void {
    do this.unconfirmed += 1;
    while (this.early?.delete(this.unconfirmed) === true);
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
  finish(member: Member, from: number, to: number): void;
  takeBack(member: Member, place: number): void;
}

/** Messages that follow each other, on their way to one client: one, unless it confirms together what it is sent. */
class Sending implements Receipt {
  readonly #events: MemberEvents;
  readonly #member: Member;
  readonly #from: number;
  /** The place after the last one. */
  to: number;

  constructor(events: MemberEvents, member: Member, place: number) {
    this.#events = events;
    this.#member = member;
    this.#from = place;
    this.to = place + 1;
  }

  confirm(): void {
    this.#events.finish(this.#member, this.#from, this.to);
  }

  giveBack(): void {
    this.#events.takeBack(this.#member, this.#from);
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
  /** The messages from the oldest one on that a client has not confirmed, apart from those set aside. */
  readonly #log = new Fifo<Job>();
  /** The place of the first of them. */
  #oldest = 0;
  /** Earlier messages that were set aside, by place: the log would keep all that were confirmed behind them. */
  readonly #late = new Map<number, Job>();
  /** Messages that were written while no client was connected. */
  readonly #waiting: Job[] = [];
  /** Messages written in this turn. The results of one source message are written together and share a position. */
  #fresh: Job[] = [];
  /** For each part of the source, the offset of the newest message that was written. */
  readonly #newest = new Map<string, bigint>();
  #ids: EventIds | undefined;
  /** The number of members that use ids. */
  #idReaders = 0;
  #generation: (() => number) | undefined;
  /** The generation of the source that `#newest` describes. */
  #newestOf: number | undefined;
  readonly #events: MemberEvents = {
    dispatch: (member) => this.#dispatch(member),
    remove: (member) => this.#remove(member),
    finish: (member, from, to) => this.#finish(member, from, to),
    takeBack: (member, place) => this.#takeBack(member, place),
  };
  #closed = false;
  #isReplaced = false;
  #released = false;

  /** For each part of the source, the offset after the newest message that was written. */
  get written(): Positions {
    return new Map([...this.#newest].map(([part, offset]) => [part, offset + 1n]));
  }

  /**
   * Gives messages event ids from now on, so that clients can resume. The positions that were written stay valid until
   * `generation` returns another number, which means that another source has replaced this one.
   */
  follow(ids: EventIds, generation: () => number): void {
    this.#ids = ids;
    this.#generation = generation;
    this.#newestOf = generation();
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
    const member = new Member(client, this.#end, this.#events);
    if (this.#closed) client.end(this.#isReplaced);
    else {
      this.#released = false;
      this.#members.add(member);
      if (client.ignoresIds !== true) this.#idReaders += 1;
      for (const job of this.#waiting.splice(0)) this.#append(job);
      this.#dispatch(member);
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

  /** The place after the last message of the log. */
  get #end(): number {
    return this.#oldest + this.#log.length;
  }

  /** Returns the message at a place; `undefined` if all clients have it, or before it is written. */
  #at(place: number): Job | undefined {
    return place < this.#oldest ? this.#late.get(place) : this.#log.at(place - this.#oldest);
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
      else this.#append(job);
    }
    for (const member of this.#members) this.#dispatch(member);
  }

  #note({ position }: Message): void {
    if (position === undefined) return;
    const generation = this.#generation?.();
    if (generation !== this.#newestOf) {
      this.#newest.clear();
      this.#newestOf = generation;
    }
    const { part, offset } = position;
    if (offset > (this.#newest.get(part) ?? -1n)) this.#newest.set(part, offset);
  }

  /** Adds a message for all clients. */
  #append(job: Job): void {
    job.missing = this.#members.size;
    this.#log.push(job);
  }

  #dispatch(member: Member): void {
    const { client } = member;
    const isTogether = client.confirmsTogether === true;
    let former: Sending | undefined;
    for (;;) {
      const place = member.again?.at(-1) ?? member.next;
      const job = this.#at(place);
      if (job === undefined || !client.isReady()) return;
      if (member.again?.pop() === undefined) member.next += 1;
      if (isTogether && former?.to === place) former.to += 1;
      else former = new Sending(this.#events, member, place);
      client.send(job.message, former, job.id);
    }
  }

  /** Offers a message to the same client again after a backoff: all other clients have it already. */
  #takeBack(member: Member, place: number): void {
    if (member.has(place)) return;
    member.returned ??= new Map();
    const times = member.returned.get(place)?.times ?? 0;
    const timer = setTimeout(
      () => {
        member.again ??= [];
        member.again.push(place);
        this.#dispatch(member);
      },
      backoffStep(times, clientRetryDelays),
    );
    member.returned.set(place, { times: times + 1, timer });
  }

  /** Notes that a client has the messages from one place up to another. */
  #finish(member: Member, from: number, to: number): void {
    for (let place = from; place < to; place += 1) {
      if (member.has(place)) continue; // or it has left
      const late = member.confirm(place);
      if (late !== undefined) this.#setAside(late);
      const job = this.#at(place);
      if (job === undefined) continue; // a client has only messages of the log
      if (job.missing === 1) this.#late.delete(place);
      job.missing -= 1;
      if (job.missing === 0) job.write.confirm();
    }
    this.#forgetOldest();
    if (this.#members.has(member)) this.#dispatch(member);
  }

  /** Takes the messages up to a place from the log. */
  #setAside(last: number): void {
    for (; this.#oldest <= last; this.#oldest += 1) {
      const job = this.#log.shift();
      if (job !== undefined && job.missing > 0) this.#late.set(this.#oldest, job);
    }
  }

  /** Drops the messages that all clients have confirmed. */
  #forgetOldest(): void {
    while (this.#log.at(0)?.missing === 0) {
      this.#log.shift();
      this.#oldest += 1;
    }
  }

  /**
   * Removes a client. If the source has positions, the client can ask for unconfirmed messages when it resumes, so they delay
   * no other client. The messages of the last client wait for the next one that connects.
   */
  #remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    if (member.client.ignoresIds !== true) this.#idReaders -= 1;
    const isLast = this.#members.size === 0;
    const late = [...this.#late.keys()].filter((place) => !member.has(place));
    const first = Math.max(member.unconfirmed, this.#oldest);
    const later = this.#log.slice(first - this.#oldest, this.#log.length);
    const unconfirmed = [
      ...late.flatMap((place) => this.#at(place) ?? []),
      ...later.filter((_, index) => !member.has(first + index)),
    ];
    member.clear();
    for (const job of unconfirmed) {
      job.missing -= 1;
      if (job.missing > 0) continue;
      if (!isLast) job.write.confirm();
      else if (this.#closed) job.write.refuse(clientsAreLeaving());
      else this.#waiting.push(job);
    }
    for (const place of late) if (this.#late.get(place)?.missing === 0) this.#late.delete(place);
    this.#forgetOldest();
    if (isLast && this.#waiting.some(({ id }) => id === undefined)) this.#identifyAgain(this.#waiting);
    if (isLast) this.#listeners.notify();
  }

  /** Gives ids to messages that were sent only to clients that ignore ids: the next client may use them. */
  #identifyAgain(jobs: readonly Job[]): void {
    this.#ids?.takeBack(jobs.map(({ message }) => message));
    this.#ids?.identify(jobs);
  }

  #refuse(jobs: readonly Job[], failure: GatewayError): void {
    for (const { write } of jobs) write.refuse(failure);
  }
}
