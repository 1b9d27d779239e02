// Collects messages into larger batches. Each part is still acknowledged separately.

import type { ComponentContext, Delivered, Processor } from "../../component/component.ts";
import { inDeliveryScope } from "../../component/delivery-scope.ts";
import { closeProcessors, runProcessors } from "../../component/pipeline.ts";
import type { Collector, Collectors } from "../../concurrency/in-flight.ts";
import { toGatewayError } from "../../errors.ts";
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

/** Messages that were added together, and the caller that waits for them. */
interface Part {
  readonly batch: Batch;
  resolve(delivered: Delivered): void;
  reject(error: unknown): void;
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
  /** The batches in progress, each with its number of parts. */
  readonly #underWay = new Set<{ readonly parts: number }>();
  #parts: Part[] = [];
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
    context.draining?.addEventListener("abort", drain, { once: true });
    this.#draining = context.signal.aborted || context.draining?.aborted === true;
  }

  /** Settles with the batch that these messages become part of. */
  add(batch: Batch): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      this.#parts.push({ batch, resolve, reject });
      const isLast = this.#collect(batch);
      if (isLast || this.#draining || !this.#waits()) this.flush();
      else this.#timer ??= this.#startTimer();
      this.#place.before?.changed();
    });
  }

  /**
   * The number of parts that wait for their batch to be complete. If all complete batches are held by later collectors,
   * their parts count as well.
   */
  get held(): number {
    const waiting = this.#parts.length;
    if (this.#underWay.size === 0 || (this.#place.behind?.held ?? 0) < this.#underWay.size) return waiting;
    return [...this.#underWay].reduce((sum, { parts }) => sum + parts, waiting);
  }

  /** Delivers the messages collected so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const parts = this.#parts;
    const messages = this.#messages;
    this.#parts = [];
    this.#messages = [];
    this.#bytes = 0;
    if (parts.length > 0) void this.#settle(parts, messages);
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

  /** Adds messages. Returns whether one of them completes the batch. */
  #collect(batch: Batch): boolean {
    const { count = 0, byte_size: byteSize = 0, check } = this.#policy;
    let ends = false;
    for (const message of batch) {
      this.#messages.push(message);
      // Measuring a document serialises it, so this is only done if needed.
      if (byteSize > 0) this.#bytes += message.bytes().byteLength;
      if (check !== undefined) ends = this.#isLast(check) || ends;
    }
    return ends || (count > 0 && this.#messages.length >= count) || (byteSize > 0 && this.#bytes >= byteSize);
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
    const [only] = parts;
    const passage = { parts: parts.length };
    this.#underWay.add(passage);
    try {
      const placed = parts.length === 1 ? messages : messages.map((each, index) => each.withPlace(index));
      const delivered = await this.#deliver(placed);
      if (parts.length === 1) only?.resolve(delivered);
      else share(parts, delivered);
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      if (parts.length === 1 || failure.retryable) for (const part of parts) part.reject(failure);
      // One message that cannot be delivered must not block those that were collected with it.
      else await Promise.all(parts.map((part) => this.#settle([part], part.batch)));
    } finally {
      this.#underWay.delete(passage);
      this.#place.before?.changed();
    }
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
  for (const { batch, resolve } of parts) {
    const own = isCertain ? batch.flatMap((_, index) => byPlace.get(place + index) ?? []) : [];
    place += batch.length;
    resolve(own.length > 0 ? { response: own } : {});
  }
}
