import type { Msg } from "@nats-io/transport-node";
import { type BeginBlockage, type Blockage, blockageOf, sourceFrom } from "../../../conditions/blockage.ts";
import type { EndCondition } from "../../../conditions/conditions.ts";
import type { GatewayError } from "../../../errors.ts";
import type { Batch } from "../../../message/message.ts";
import type { DeliveryPosition } from "./position.ts";

/** Where a message of JetStream stands. */
export const sourceOf = /* @__PURE__ */ sourceFrom({
  subject: "nats_subject",
  sequence: "nats_sequence_stream",
});

/** What becomes of a message: acknowledged, or to be delivered again after so many milliseconds. */
export type Settlement = "done" | { readonly again: number; readonly refused?: Refusal };

/** What could not be delivered, and why; absent where the end came before the outcome. */
export interface Refusal {
  readonly batch: Batch;
  readonly failure: GatewayError;
}

/** Tells the server that a message is still under way. */
export const workInProgress = "+WPI";

/** How many messages that are done are remembered: an acknowledgement can be lost with the connection. */
const rememberedLimit = 4096;

/** How messages are seen through. */
export interface DeliveryOptions {
  /** Sees one message through; must not reject. `attempt` counts its deliveries to this process from 1. */
  settle(message: Msg, position: DeliveryPosition, attempt: number): Promise<Settlement>;
  /** Tells the server about a message: `+ACK`, `-NAK …` or `+WPI`. */
  answer(message: Msg, text: string): void;
  /** There is room again. */
  onSettled(): void;
  /** Begins for each message that was refused and is still to come again. */
  readonly beginBlockage: BeginBlockage;
  /** Whether other readers may get a message that was refused here. */
  readonly isShared: boolean;
}

/** One message from its first delivery here until it is acknowledged. */
interface Held {
  readonly sequence: number;
  /** Tells it from a message of the same sequence in a stream that was made anew, which counts from 1 again. */
  readonly timestampNanos: string;
  /** The latest delivery of it: answers go there. */
  message: Msg;
  isUnderWay: boolean;
  /** Present once it was refused. */
  refused?: { readonly blockage: Blockage; readonly end: EndCondition };
  attempts: number;
  /** When a refused message has to have come again; later, another reader has it. */
  dueBy: number;
}

/** The messages of a consumer that came and are not acknowledged yet. */
export class Deliveries {
  readonly #options: DeliveryOptions;
  /** By sequence: a number is found faster than a text that is made for each message. */
  readonly #held = new Map<number, Held>();
  /** Timestamps of messages that were acknowledged by sequence, and the same in order: the next place is the oldest's. */
  readonly #done = new Map<number, string>();
  readonly #doneInOrder: Pick<Held, "sequence" | "timestampNanos">[] = [];
  #nextDone = 0;
  #ackWait = 0;
  #underWay = 0;
  #newest = 0;
  /** That of the latest message, which says how many the consumer had left after it. */
  #latest: DeliveryPosition | undefined;
  #signals: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** How many are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Tells the server in time of what takes long: it delivers again after `ackWait` milliseconds of silence. */
  keepAlive(ackWait: number): void {
    this.#ackWait = ackWait;
    clearInterval(this.#signals);
    this.#signals = setInterval(() => this.#signal(), Math.max(10, ackWait / 3));
  }

  /** Takes a message. One that is under way or done already is not delivered twice, only answered. */
  take(message: Msg, position: DeliveryPosition): void {
    const { streamSequence: sequence, timestampNanos } = position;
    this.#newest = Math.max(this.#newest, sequence);
    this.#latest = position;
    if (this.#done.get(sequence) === timestampNanos) {
      this.#options.answer(message, "+ACK");
      return;
    }
    const held = this.#heldAt(position, message);
    held.message = message;
    if (held.isUnderWay) return;
    held.isUnderWay = true;
    held.attempts += 1;
    this.#underWay += 1;
    void this.#options
      .settle(message, position, held.attempts)
      .then((settlement) => this.#settle(held, settlement));
  }

  #heldAt({ streamSequence: sequence, timestampNanos }: DeliveryPosition, message: Msg): Held {
    const known = this.#held.get(sequence);
    if (known?.timestampNanos === timestampNanos) return known;
    // Its stream is gone, and it does not come again.
    if (known !== undefined) this.#drop(known);
    const held = { sequence, timestampNanos, message, isUnderWay: false, attempts: 0, dueBy: 0 };
    this.#held.set(sequence, held);
    return held;
  }

  /**
   * The sequence from which on a new consumer would miss nothing but what `isHanded` says of; `undefined` before the
   * first message.
   */
  resumeAt(isHanded: (sequence: number) => boolean = () => false): number | undefined {
    if (this.#newest === 0) return undefined;
    let oldest = this.#newest + 1;
    for (const { sequence } of this.#held.values()) {
      if (sequence < oldest && !isHanded(sequence)) oldest = sequence;
    }
    return oldest;
  }

  /** Forgets positions in a stream that is gone. What of it is under way is seen through. */
  beginAnew(): void {
    this.#newest = 0;
    for (const held of [...this.#held.values()]) this.#drop(held);
  }

  /** Messages that the consumer has left and those under way, as of the latest message; `undefined` before the first. */
  get lag(): number | undefined {
    return this.#latest === undefined ? undefined : this.#latest.pending + this.#held.size;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Ends the signals; call it when nothing is under way any more. */
  close(): void {
    clearInterval(this.#signals);
  }

  #settle(held: Held, settlement: Settlement): void {
    this.#underWay -= 1;
    held.isUnderWay = false;
    if (settlement === "done") {
      this.#drop(held);
      this.#remember(held);
      this.#options.answer(held.message, "+ACK");
    } else {
      const isHeld = this.#held.get(held.sequence) === held;
      if (settlement.refused !== undefined && isHeld) this.#noteRefused(held, settlement.refused);
      // It stays held: a consumer that is made anew meanwhile has to bring it again.
      held.dueBy = performance.now() + settlement.again + 2 * this.#ackWait;
      this.#options.answer(held.message, `-NAK ${JSON.stringify({ delay: settlement.again * 1e6 })}`);
    }
    if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#options.onSettled();
  }

  #noteRefused(held: Held, { batch, failure }: Refusal): void {
    if (held.refused === undefined) {
      const blockage = blockageOf(batch, failure, sourceOf);
      held.refused = { blockage, end: this.#options.beginBlockage(blockage) };
      return;
    }
    held.refused.blockage.attempts = held.attempts;
    held.refused.blockage.failure = failure;
  }

  #drop(held: Held): void {
    if (this.#held.get(held.sequence) !== held) return; // it was dropped for that of a stream made anew
    this.#held.delete(held.sequence);
    held.refused?.end();
  }

  #remember({ sequence, timestampNanos }: Held): void {
    const oldest = this.#doneInOrder[this.#nextDone];
    if (oldest !== undefined && this.#done.get(oldest.sequence) === oldest.timestampNanos)
      this.#done.delete(oldest.sequence);
    this.#done.set(sequence, timestampNanos);
    this.#doneInOrder[this.#nextDone] = { sequence, timestampNanos };
    this.#nextDone = (this.#nextDone + 1) % rememberedLimit;
  }

  #signal(): void {
    const now = performance.now();
    for (const held of this.#held.values()) {
      if (held.isUnderWay) this.#options.answer(held.message, workInProgress);
      else if (this.#options.isShared && held.dueBy < now) this.#drop(held);
    }
  }
}
