// Collects messages into larger batches. Each part is still acknowledged separately.

import type { ComponentContext, Delivered, OutcomeListener, Processor } from "../../component/component.ts";
import { report } from "../../component/deliver-each.ts";
import { inDeliveryScope } from "../../component/delivery-scope.ts";
import { closeProcessors, runProcessors } from "../../component/pipeline.ts";
import { FailedMessages, failureIn, failureOfPart, withFailures } from "../../component/unfit-messages.ts";
import type { Collector, Collectors } from "../../concurrency/in-flight.ts";
import { type GatewayError, toGatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { QueryFunction } from "../functions.ts";
import { queryTrue } from "../mapping.ts";

/** When a batch is complete. If no limit is set, batches stay as they arrive. */
export interface BatchPolicy {
  /** The maximum number of messages; 0 for no limit. */
  readonly count?: number;
  /** The maximum total size of the contents in bytes; 0 for no limit. */
  readonly byte_size?: number;
  /** Milliseconds from the first message until the batch is complete; 0 for no limit. */
  readonly period?: number;
  /** The maximum share of the period that is randomly added to it. */
  readonly jitter?: number;
  /** Whether a message is the last one of its batch. */
  readonly check?: QueryFunction;
  /** The processors that run on a complete batch. */
  readonly processors?: readonly Processor[];
}

/** Delivers a complete batch. Resolves when the batch is confirmed. */
export type Flush = (batch: Batch) => Promise<Delivered>;

/** The place of a batcher between an input and the confirmation. */
export interface BatcherPlace {
  /** The collectors that include this batcher. */
  readonly before?: Collectors | undefined;
  /** The collectors that may hold its batches afterwards. */
  readonly behind?: Collectors | undefined;
}

/** Messages that were added together, and what waits for their outcome. */
interface Part {
  readonly batch: Batch;
  /** Its number of deliveries, each with an outcome of its own. */
  readonly deliveries: number;
  /** Whether it takes the messages of the response that belong to it. */
  readonly takesResponse: boolean;
  resolve(delivered: Delivered): void;
  reject(error: unknown): void;
  /** Returns a part for each delivery. */
  divide(): readonly Part[];
}

/** Messages that are one delivery. */
class WholePart implements Part {
  readonly deliveries = 1;
  readonly takesResponse = true;
  readonly batch: Batch;
  readonly resolve: (delivered: Delivered) => void;
  readonly reject: (error: unknown) => void;

  constructor(batch: Batch, resolve: (delivered: Delivered) => void, reject: (error: unknown) => void) {
    this.batch = batch;
    this.resolve = resolve;
    this.reject = reject;
  }

  divide(): readonly Part[] {
    return [this];
  }
}

/** Consecutive messages that are a delivery each, and are confirmed with the same batch. */
class EachPart implements Part {
  readonly takesResponse = false;
  readonly batch: Batch;
  readonly #listener: OutcomeListener;
  /** The index by which the listener knows the first message. */
  readonly #first: number;

  constructor(batch: Batch, listener: OutcomeListener, first: number) {
    this.batch = batch;
    this.#listener = listener;
    this.#first = first;
  }

  get deliveries(): number {
    return this.batch.length;
  }

  resolve(): void {
    for (let index = 0; index < this.batch.length; index += 1) this.#listener.confirm(this.#first + index);
  }

  reject(error: unknown): void {
    for (let index = 0; index < this.batch.length; index += 1)
      this.#listener.fail(this.#first + index, error);
  }

  divide(): readonly Part[] {
    return this.batch.map((message, index) => new EachPart([message], this.#listener, this.#first + index));
  }
}

/**
 * Collects messages until the policy says that a batch is complete. The promise of a part settles with the batch that
 * contains it. A part is never divided, so a batch may exceed the limits of the policy by the part that was added last.
 */
export class Batcher implements Collector {
  readonly #policy: BatchPolicy;
  readonly #context: ComponentContext;
  readonly #flush: Flush;
  readonly #place: BatcherPlace;
  /** The batches in progress, each with its number of deliveries. */
  readonly #underWay = new Set<{ readonly deliveries: number }>();
  #parts: Part[] = [];
  /** The number of their deliveries, which inputs ask for at each message. */
  #waiting = 0;
  #messages: Message[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #draining = false;

  constructor(policy: BatchPolicy, context: ComponentContext, flush: Flush, place: BatcherPlace = {}) {
    this.#policy = policy;
    this.#context = context;
    this.#flush = flush;
    this.#place = place;
    const drain = () => this.drain();
    context.signal.addEventListener("abort", drain, { once: true });
    const draining = context.draining?.();
    draining?.addEventListener("abort", drain, { once: true });
    this.#draining = context.signal.aborted || draining?.aborted === true;
  }

  /** Settles with the batch that these messages become part of. */
  add(batch: Batch): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      this.#parts.push(new WholePart(batch, resolve, reject));
      this.#waiting += 1;
      let isLast = false;
      for (const message of batch) isLast = this.#collect(message) || isLast;
      if (isLast || this.#isImmediate()) this.flush();
      else this.#timer ??= this.#startTimer();
      this.#place.before?.changed();
    });
  }

  /** Adds each message as `add([message])` would, in order, and calls `listener` with each outcome. */
  addEach(messages: Batch, listener: OutcomeListener): void {
    if (listener.takesResponse === true) {
      for (const [index, message] of messages.entries()) report(this.add([message]), index, listener);
      return;
    }
    let first = 0;
    const end = (next: number) => {
      this.#parts.push(new EachPart(messages.slice(first, next), listener, first));
      this.#waiting += next - first;
      first = next;
    };
    for (const [index, message] of messages.entries()) {
      if (!this.#collect(message) && !this.#isImmediate()) continue;
      end(index + 1);
      this.flush();
    }
    if (first < messages.length) {
      end(messages.length);
      this.#timer ??= this.#startTimer();
    }
    this.#place.before?.changed();
  }

  /**
   * The number of deliveries that wait for their batch to be complete. If all complete batches are held by later
   * collectors, their deliveries count as well.
   */
  get held(): number {
    const waiting = this.#waiting;
    if (this.#underWay.size === 0 || (this.#place.behind?.held ?? 0) < this.#underWay.size) return waiting;
    return [...this.#underWay].reduce((sum, { deliveries }) => sum + deliveries, waiting);
  }

  /** Delivers the messages collected so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const parts = this.#parts;
    const messages = this.#messages;
    this.#parts = [];
    this.#waiting = 0;
    this.#messages = [];
    this.#bytes = 0;
    if (parts.length > 0) void this.#settle(parts, messages);
  }

  /** See `Collector.complete`. What it holds reaches the collectors behind first. */
  complete(): void {
    if (this.#waiting > 0) this.flush();
    else this.#place.behind?.complete();
  }

  /** Delivers the messages collected so far, and from now on delivers each part immediately. */
  drain(): void {
    this.#draining = true;
    this.flush();
  }

  /** Delivers the messages collected so far, and closes the processors of the policy. */
  async close(): Promise<void> {
    this.drain();
    await closeProcessors(this.#policy.processors ?? []);
  }

  /** Adds a message. Returns whether it completes the batch. */
  #collect(message: Message): boolean {
    const { count = 0, byte_size: byteSize = 0, check } = this.#policy;
    this.#messages.push(message);
    // Measuring a document serialises it, so this is only done if needed.
    if (byteSize > 0) this.#bytes += message.bytes().byteLength;
    const isLast = check !== undefined && this.#isLast(check);
    return (
      isLast || (count > 0 && this.#messages.length >= count) || (byteSize > 0 && this.#bytes >= byteSize)
    );
  }

  /** Whether messages do not wait for others. */
  #isImmediate(): boolean {
    return this.#draining || !this.#waits();
  }

  /** A check that fails completes nothing: the message is still delivered with its batch. */
  #isLast(check: QueryFunction): boolean {
    try {
      return queryTrue(check, this.#messages, this.#messages.length - 1);
    } catch (error) {
      this.#context.log.debug("the batching check failed", {
        status: toGatewayError(error, 500, "").status,
      });
      return false;
    }
  }

  #waits(): boolean {
    const { count = 0, byte_size: byteSize = 0, period = 0, check } = this.#policy;
    return count > 0 || byteSize > 0 || period > 0 || check !== undefined;
  }

  #startTimer(): NodeJS.Timeout | undefined {
    const { period = 0, jitter = 0 } = this.#policy;
    if (period === 0) return undefined;
    return setTimeout(() => this.flush(), period * (1 + jitter * Math.random()));
  }

  async #settle(parts: readonly Part[], messages: Batch): Promise<void> {
    const passage = { deliveries: deliveriesOf(parts) };
    this.#underWay.add(passage);
    const outcome = await this.#outcomeOf(parts, messages);
    this.#underWay.delete(passage);
    this.#place.before?.changed();
    outcome();
  }

  /** Delivers a batch; resolves with what reports its outcome to its parts. */
  async #outcomeOf(parts: readonly Part[], messages: Batch): Promise<() => void> {
    const isShared = parts.length > 1 && parts.some(({ takesResponse }) => takesResponse);
    const placed = isShared ? messages.map((each, index) => each.withPlace(index)) : messages;
    try {
      const delivered = await this.#deliver(placed);
      return () => {
        if (isShared) share(parts, delivered);
        else for (const part of parts) part.resolve(delivered);
      };
    } catch (error) {
      return this.#outcomeOfFailure(parts, placed, toGatewayError(error, 500, "Internal error"));
    }
  }

  /**
   * One message that is not delivered must not block those that were collected with it, nor make others of its part be written
   * again. One that can never be delivered is written alone, which tells whether it is at fault.
   */
  async #outcomeOfFailure(parts: readonly Part[], placed: Batch, failure: GatewayError): Promise<() => void> {
    const [only] = parts;
    if (only !== undefined && deliveriesOf(parts) === 1) {
      const isRest = placed.length < only.batch.length;
      return () => only.reject(isRest ? failureOfPart(placed, failure) : failure);
    }
    const undelivered = new Set(failure.undelivered(placed));
    const settle: (() => void)[] = [];
    const again: Promise<void>[] = [];
    let place = 0;
    for (const part of parts.flatMap((each) => each.divide())) {
      const failures = new Map<Message, GatewayError>();
      for (const message of part.batch) {
        const written = placed[place++];
        if (written !== undefined && undelivered.has(written))
          failures.set(message, failureIn(failure, written));
      }
      if (failures.size === 0) settle.push(() => part.resolve({}));
      else if (failure.retryable && [...failures.values()].some(({ retryable }) => retryable)) {
        const own = failure instanceof FailedMessages ? withFailures(failure, failures, true) : failure;
        settle.push(() => part.reject(own));
      } else again.push(this.#settle([part], [...failures.keys()]));
    }
    await Promise.all(again);
    return () => {
      for (const each of settle) each();
    };
  }

  /** As in the reference engine, what the processors make of a batch is delivered as one, even if they split it. */
  #deliver(batch: Batch): Promise<Delivered> {
    return inDeliveryScope(this.#context, async (context) => {
      const batches = await runProcessors(this.#policy.processors ?? [], [batch], context);
      const [only, ...others] = batches;
      if (only === undefined) return {};
      return this.#flush(others.length === 0 ? only : batches.flat());
    });
  }
}

/** Gives each part its own messages of the response, if it is certain which ones they are; otherwise none. */
function share(parts: readonly Part[], { response = [] }: Delivered): void {
  const byPlace = new Map(response.map((message) => [message.place, message]));
  const isCertain = byPlace.size === response.length;
  let place = 0;
  for (const part of parts) {
    const { batch } = part;
    const own = isCertain ? batch.flatMap((_, index) => byPlace.get(place + index) ?? []) : [];
    place += batch.length;
    part.resolve(own.length > 0 ? { response: own } : {});
  }
}

function deliveriesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { deliveries }) => sum + deliveries, 0);
}
