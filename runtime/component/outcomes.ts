// Combines the results of several writes or deliveries.

import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Delivered, OutcomeListener, Output } from "./component.ts";

/**
 * Waits for all of `pending`, even if one failed: the owner of the batch may try again only when no part of it is in
 * flight. Rejects as `joinFailures` says; joins the replies in the order of `pending`.
 */
export function joinDelivered(pending: readonly Promise<Delivered>[]): Promise<Delivered> {
  const only = pending[0];
  return pending.length === 1 && only !== undefined ? only : joinSeveral(pending);
}

async function joinSeveral(pending: readonly Promise<Delivered>[]): Promise<Delivered> {
  const outcomes = await Promise.allSettled(pending);
  const responses: Message[] = [];
  const failures: unknown[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") failures.push(outcome.reason);
    else responses.push(...(outcome.value.response ?? []));
  }
  if (failures.length > 0) throw joinFailures(failures);
  return responses.length > 0 ? { response: responses } : {};
}

/**
 * Returns the failure of a write whose parts failed with `failures`: the first one, or as `GatewayError.joined` of that says,
 * one that names the messages of all.
 */
export function joinFailures(failures: readonly unknown[]): unknown {
  const [first] = failures;
  return first instanceof GatewayError ? first.joined(failures) : first;
}

/** Receives the outcome of one message. */
export interface MessageOutcome {
  confirm(): void;
  refuse(refusal: GatewayError): void;
}

/** Passes the outcome of one of several messages on to their listener. */
export class ListenedOutcome implements MessageOutcome {
  readonly #listener: OutcomeListener;
  readonly #index: number;

  constructor(listener: OutcomeListener, index: number) {
    this.#listener = listener;
    this.#index = index;
  }

  confirm(): void {
    this.#listener.confirm(this.#index);
  }

  refuse(refusal: unknown): void {
    this.#listener.fail(this.#index, refusal);
  }
}

/** As `ListenedOutcome`, for a message that holds a turn until its outcome is known. */
class OutcomeInTurn extends ListenedOutcome {
  readonly #turns: Semaphore;

  constructor(turns: Semaphore, listener: OutcomeListener, index: number) {
    super(listener, index);
    this.#turns = turns;
  }

  override confirm(): void {
    this.#turns.release();
    super.confirm();
  }

  override refuse(refusal: unknown): void {
    this.#turns.release();
    super.refuse(refusal);
  }
}

/** Counts the results of the messages of one write. This needs one promise, independent of the number of messages. */
export class CountedWrite implements MessageOutcome {
  /**
   * Resolves when every message is confirmed; if some were refused, rejects as `joinFailures` says when none is
   * pending.
   */
  readonly settled: Promise<Delivered>;
  #open: number;
  #refusals: GatewayError[] | undefined = undefined;
  #resolve!: (delivered: Delivered) => void;
  #reject!: (refusal: unknown) => void;

  constructor(messages: number) {
    this.#open = messages;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (messages === 0) this.#resolve({});
  }

  /** Records that one of the messages is confirmed. */
  confirm(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#settle();
  }

  /** Records that one of the messages is refused. */
  refuse(refusal: GatewayError): void {
    this.#refusals ??= [];
    this.#refusals.push(refusal);
    this.confirm();
  }

  #settle(): void {
    if (this.#refusals === undefined) this.#resolve({});
    else this.#reject(joinFailures(this.#refusals));
  }
}

/**
 * The writes of an output that limits how many are in progress. Each holds a turn until the outcomes of its messages are
 * known; turns are in the order of the writes. `send` sends the messages of a batch, in order, and passes the outcome of
 * each on, unless it throws.
 */
export class WritesInTurns implements Pick<Required<Output>, "write" | "writeEach"> {
  readonly #turns: Semaphore;
  readonly #send: (batch: Batch, outcome: MessageOutcome) => void;

  constructor(limit: number, send: (batch: Batch, outcome: MessageOutcome) => void) {
    this.#turns = new Semaphore(limit);
    this.#send = send;
  }

  write(batch: Batch): Promise<Delivered> {
    return this.#turns.use(() => {
      const write = new CountedWrite(batch.length);
      this.#send(batch, write);
      return write.settled;
    });
  }

  writeEach(messages: Batch, listener: OutcomeListener): void {
    for (let index = 0; index < messages.length; index += 1) {
      const outcome = new OutcomeInTurn(this.#turns, listener, index);
      this.#turns.enter(() => {
        try {
          this.#send(messages.slice(index, index + 1), outcome);
        } catch (error) {
          outcome.refuse(error);
        }
      });
    }
  }

  /** Resolves when no write is in progress. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }
}
