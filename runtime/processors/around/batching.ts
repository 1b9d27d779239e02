// Messages collected into larger batches, each still acknowledged separately.

import type { ComponentContext, Delivered, Processor } from "../../component/component.ts";
import { inDeliveryScope } from "../../component/delivery-scope.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { closeProcessors, runProcessors } from "../../component/pipeline.ts";
import type { Collector, Collectors } from "../../concurrency/in-flight.ts";
import { toGatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { QueryFunction } from "../functions.ts";
import { queryTrue } from "../mapping.ts";

/** When a batch is complete; with none of the limits set, each is as it came. */
export interface BatchPolicy {
  /** Messages; 0: any number. */
  readonly count?: number;
  /** Bytes of content together; 0: any number. */
  readonly byte_size?: number;
  /** Milliseconds from its first message on; 0: any time. */
  readonly period?: number;
  /** Up to which share of the period is added to it, at random. */
  readonly jitter?: number;
  /** Whether a message is the last of its batch. */
  readonly check?: QueryFunction;
  /** What runs on a complete batch. */
  readonly processors?: readonly Processor[];
}

/** Takes a complete batch; resolves once it is confirmed. */
export type Flush = (batch: Batch) => Promise<Delivered>;

/** Where a batcher stands between an input and the confirmation. */
export interface BatcherPlace {
  /** What counts it as one of its members. */
  readonly before?: Collectors | undefined;
  /** What its batches may be held by in turn. */
  readonly behind?: Collectors | undefined;
}

/** What was added at once, and who waits for it. */
interface Part {
  readonly batch: Batch;
  resolve(delivered: Delivered): void;
  reject(error: unknown): void;
}

/**
 * Collects what is added until the policy says that a batch is complete. The caller that added a part learns what
 * became of it when the batch that held it has settled; a part is never divided, so a batch may be larger
 * than the policy asks for by what was added last.
 */
export class Batcher implements Collector {
  readonly #policy: BatchPolicy;
  readonly #context: ComponentContext;
  readonly #flush: Flush;
  readonly #place: BatcherPlace;
  /** How many parts are in each batch that is under way. */
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

  /** Resolves and rejects with the batch that these messages become part of. */
  add(batch: Batch): Promise<Delivered> {
    return new Promise((resolve, reject) => {
      this.#parts.push({ batch, resolve, reject });
      const isLast = this.#collect(batch);
      if (isLast || this.#draining || !this.#waits()) this.flush();
      else this.#timer ??= this.#startTimer();
      this.#place.before?.changed();
    });
  }

  /** Parts that wait for what completes their batch, and those of complete batches where all of them are held behind this one. */
  get held(): number {
    const waiting = this.#parts.length;
    if (this.#underWay.size === 0 || (this.#place.behind?.held ?? 0) < this.#underWay.size) return waiting;
    return [...this.#underWay].reduce((sum, { parts }) => sum + parts, waiting);
  }

  /** Hands on what there is. */
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

  /** Hands on what there is, and from now on everything as it comes. */
  drain(): void {
    this.#draining = true;
    this.flush();
  }

  /** Hands on what there is, and releases what the policy's processors hold. */
  async close(): Promise<void> {
    this.drain();
    await closeProcessors(this.#policy.processors ?? []);
  }

  /** Whether one of the messages ends the batch. */
  #collect(batch: Batch): boolean {
    const { count = 0, byte_size: byteSize = 0, check } = this.#policy;
    let ends = false;
    for (const message of batch) {
      this.#messages.push(message);
      // Looking at a document's size would serialise it, so only where it is needed.
      if (byteSize > 0) this.#bytes += message.bytes().byteLength;
      if (check !== undefined) ends = this.#isLast(check) || ends;
    }
    return ends || (count > 0 && this.#messages.length >= count) || (byteSize > 0 && this.#bytes >= byteSize);
  }

  /** A check that fails ends nothing: the message is still delivered, with the batch it came into. */
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
      // One message that cannot be delivered must not hold up those that were collected with it.
      else await Promise.all(parts.map((part) => this.#settle([part], part.batch)));
    } finally {
      this.#underWay.delete(passage);
      this.#place.before?.changed();
    }
  }

  #deliver(batch: Batch): Promise<Delivered> {
    return inDeliveryScope(this.#context, async (context) => {
      const batches = await runProcessors(this.#policy.processors ?? [], [batch], context);
      return joinDelivered(batches.map((each) => this.#flush(each)));
    });
  }
}

/** Each part its own messages of the reply, where it is certain whose they are; none otherwise. */
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
