// The connected clients of an output that sends each message to one of them, in turn.

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

/** A message on its way to one client. */
class Job implements Receipt {
  readonly message: Message;
  /** The sending order, which returned messages keep. */
  readonly order: number;
  readonly write: MessageOutcome;
  /** How often clients have returned the message. */
  returns = 0;
  /** The client that was sent the message, until its outcome is known. */
  member: Member | undefined = undefined;
  /** Its neighbours among the messages of that client. */
  previous: Job | undefined = undefined;
  next: Job | undefined = undefined;
  readonly #events: PoolEvents;

  constructor(message: Message, order: number, write: MessageOutcome, events: PoolEvents) {
    this.message = message;
    this.order = order;
    this.write = write;
    this.#events = events;
  }

  confirm(): void {
    this.#events.confirm(this);
  }

  giveBack(): void {
    this.#events.takeBack(this);
  }

  /** Returns the job for the next client, of which the last one, whose receipt is this one, knows nothing. */
  again(): Job {
    const job = new Job(this.message, this.order, this.write, this.#events);
    job.returns = this.returns;
    return job;
  }
}

/** What jobs and members call. One object serves all of them. */
interface PoolEvents {
  confirm(job: Job): void;
  takeBack(job: Job): void;
  ready(): void;
  leave(member: Member): void;
}

class Member implements PoolMembership {
  readonly client: PoolClient;
  // Both ends of a list of the messages that were sent to the client and not confirmed yet, in order. A queue for each
  // client would be two objects more to touch for each message, which thousands of clients keep out of the caches.
  #first: Job | undefined = undefined;
  #last: Job | undefined = undefined;
  readonly #events: PoolEvents;

  constructor(client: PoolClient, events: PoolEvents) {
    this.client = client;
    this.#events = events;
  }

  /** Notes that the client is sent a message. */
  give(job: Job): void {
    job.member = this;
    job.previous = this.#last;
    if (this.#last === undefined) this.#first = job;
    else this.#last.next = job;
    this.#last = job;
  }

  /** Forgets one of its messages, whose outcome is known. */
  take(job: Job): void {
    const { previous, next } = job;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    job.member = undefined;
    job.previous = undefined;
    job.next = undefined;
  }

  /** Forgets all its messages and returns them. */
  takeAll(): readonly Job[] {
    const jobs: Job[] = [];
    for (let job = this.#first; job !== undefined; job = this.#first) {
      this.take(job);
      jobs.push(job);
    }
    return jobs;
  }

  ready(): void {
    this.#events.ready();
  }

  leave(): void {
    this.#events.leave(this);
  }
}

/**
 * Sends each message to exactly one client, in strict rotation over the clients that are ready. A client that accepts batches
 * gets the rest of the batch as well. If a client leaves before its messages have left the process, the next client gets
 * them first. Messages wait while no client is connected.
 */
export class ClientPool implements Clients {
  readonly #members: Member[] = [];
  readonly #listeners = new DemandListeners();
  /** Messages that a client returned, with the timers after which they are offered again. */
  readonly #resting = new Map<Job, NodeJS.Timeout>();
  /** Sorted by `order`. */
  readonly #waiting = new Fifo<Job>();
  #turn = 0;
  #lastOrder = 0;
  #closed = false;
  #isReplaced = false;
  #released = false;
  readonly #events: PoolEvents = {
    confirm: (job) => this.#confirm(job),
    takeBack: (job) => this.#takeBack(job),
    ready: () => this.#dispatch(),
    leave: (member) => this.#remove(member),
  };

  get wanted(): boolean {
    return this.#members.length > 0;
  }

  get clients(): number {
    return this.#members.length;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  release(): void {
    if (this.#members.length > 0) return;
    this.#released = true;
    this.#refuseWaiting(noClientIsThere());
  }

  /** Adds a client at the end of the rotation. */
  join(client: PoolClient): PoolMembership {
    const member = new Member(client, this.#events);
    if (this.#closed) client.end(this.#isReplaced);
    else {
      this.#released = false;
      this.#members.push(member);
      if (this.#members.length === 1) this.#listeners.notify();
      this.#dispatch();
    }
    return member;
  }

  write(batch: Batch): Promise<Delivered> {
    const refusal = refusalOf(this.#closed, this.#released);
    if (refusal !== undefined) return Promise.reject(refusal);
    const write = new CountedWrite(batch.length);
    for (const message of batch) this.#enqueue(message, write);
    this.#dispatch();
    return write.settled;
  }

  writeEach(messages: Batch, listener: OutcomeListener): void {
    const refusal = refusalOf(this.#closed, this.#released);
    for (const [index, message] of messages.entries()) {
      const outcome = new ListenedOutcome(listener, index);
      if (refusal === undefined) this.#enqueue(message, outcome);
      else outcome.refuse(refusal);
    }
    this.#dispatch();
  }

  #enqueue(message: Message, write: MessageOutcome): void {
    this.#lastOrder += 1;
    this.#waiting.push(new Job(message, this.#lastOrder, write, this.#events));
  }

  close(isReplaced: boolean): void {
    this.#closed = true;
    this.#isReplaced = isReplaced;
    this.#refuseWaiting(clientsAreLeaving());
    for (const { client } of [...this.#members]) client.end(isReplaced);
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const member = this.#takeTurn();
      if (member === undefined) return;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      member.give(job);
      if (member.client.sendBatch !== undefined && this.#waiting.at(0)?.write === job.write) {
        this.#sendRest(member, job);
        continue;
      }
      member.client.send(job.message, job);
    }
  }

  /** Sends a client the rest of the batch that `first` belongs to. */
  #sendRest(member: Member, first: Job): void {
    const jobs = [first];
    for (let job = this.#waiting.at(0); job?.write === first.write; job = this.#waiting.at(0)) {
      jobs.push(job);
      this.#waiting.shift();
    }
    for (const job of jobs.slice(1)) member.give(job);
    member.client.sendBatch?.(
      jobs.map(({ message }) => message),
      () => {
        for (const job of jobs) this.#confirm(job);
      },
    );
  }

  /** Returns the next client in rotation that is ready. */
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

  #confirm(job: Job): void {
    if (!hasEnded(job)) return;
    job.write.confirm();
    this.#dispatch();
  }

  /** Takes back a message that a client returned: another client gets it, or the same one after a backoff. */
  #takeBack(job: Job): void {
    if (!hasEnded(job)) return;
    const others = this.#members.length - 1;
    const rounds = Math.floor(job.returns / Math.max(1, others));
    job.returns += 1;
    // Each of the other clients is tried once before the message waits.
    const wait = others > 0 && rounds === 0 ? 0 : backoffStep(rounds, clientRetryDelays);
    const timer = setTimeout(() => {
      this.#resting.delete(job);
      this.#putBack([job]);
      this.#dispatch();
    }, wait);
    this.#resting.set(job, timer);
    this.#dispatch();
  }

  #remove(member: Member): void {
    const position = this.#members.indexOf(member);
    if (position === -1) return;
    this.#members.splice(position, 1);
    if (position < this.#turn) this.#turn -= 1;
    const unconfirmed = member.takeAll();
    if (unconfirmed.length > 0) this.#putBack(unconfirmed);
    if (this.#closed) this.#refuseWaiting(clientsAreLeaving());
    if (this.#members.length === 0) this.#listeners.notify();
    this.#dispatch();
  }

  #putBack(jobs: Iterable<Job>): void {
    const again = [...jobs].map((job) => job.again());
    const sorted = [...again, ...this.#waiting.splice(0)].sort((a, b) => a.order - b.order);
    for (const job of sorted) this.#waiting.push(job);
  }

  #refuseWaiting(failure: GatewayError): void {
    for (const timer of this.#resting.values()) clearTimeout(timer);
    const refused = [...this.#resting.keys(), ...this.#waiting.splice(0)];
    this.#resting.clear();
    for (const { write } of refused) write.refuse(failure);
  }
}

/** Takes a job from its client; returns whether it still was there: it came back if the client has left. */
function hasEnded(job: Job): boolean {
  const { member } = job;
  member?.take(job);
  return member !== undefined;
}
