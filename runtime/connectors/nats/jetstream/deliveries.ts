import type { Msg } from "@nats-io/transport-node";
import { afterwards } from "../../../concurrency/rounds.ts";
import { TransientMap } from "../../../concurrency/transient.ts";
import { type BeginBlockage, type Blockage, blockageOf, sourceFrom } from "../../../conditions/blockage.ts";
import type { EndCondition } from "../../../conditions/conditions.ts";
import type { GatewayError } from "../../../errors.ts";
import type { Batch } from "../../../message/message.ts";
import type { DeliveryPosition } from "./position.ts";

/** Reads the source of a JetStream message: its subject and its sequence in the stream. */
export const sourceOf = /* @__PURE__ */ sourceFrom({
  subject: "nats_subject",
  sequence: "nats_sequence_stream",
});

/** The outcome of a message: acknowledged, or to be delivered again after `again` milliseconds. */
export type Settlement = "done" | { readonly again: number; readonly refused?: FailedDelivery };

/** The batch that could not be delivered, and why. Absent if the input ended before the outcome was known. */
export interface FailedDelivery {
  readonly batch: Batch;
  readonly failure: GatewayError;
}

/** Tells the server that a message is still in progress. */
export const workInProgress = "+WPI";

/** Number of acknowledged messages to remember, because an acknowledgement can be lost with the connection. */
const rememberedLimit = 4096;

/** A message that has to be delivered. `attempts` counts its deliveries to this process, including this one. */
export interface Arrived {
  readonly message: Msg;
  readonly position: DeliveryPosition;
  readonly attempts: number;
}

/** Delivers messages that arrived together, and calls `settle` once for each with its index; must not throw. */
export type DeliverArrived = (
  arrived: readonly Arrived[],
  settle: (index: number, settlement: Settlement) => void,
) => void;

/** Delivers messages one by one. `deliver` must not reject. */
export function eachAlone(
  deliver: (message: Msg, position: DeliveryPosition) => Promise<Settlement>,
): DeliverArrived {
  return (arrived, settle) => {
    for (const [index, { message, position }] of arrived.entries()) {
      void deliver(message, position).then((settlement) => settle(index, settlement));
    }
  };
}

/** The settings of `Deliveries`. */
export interface DeliveryOptions {
  readonly deliver: DeliverArrived;
  /** Sends `+ACK`, `-NAK …` or `+WPI` for a message. */
  answer(message: Msg, text: string): void;
  /** Called after messages were settled: there is room for further ones. */
  onSettled(): void;
  /** Called for each message that was refused and will be delivered again. */
  readonly beginBlockage: BeginBlockage;
  /** Whether other readers may receive a message that was refused here. */
  readonly isShared: boolean;
}

/** A message from its first delivery to this process until it is acknowledged. */
interface Held extends Arrived {
  readonly sequence: number;
  /** Distinguishes messages with the same sequence: a recreated stream counts from 1 again. */
  readonly timestampNanos: string;
  /** The latest delivery of the message, to which acknowledgements are sent. */
  message: Msg;
  position: DeliveryPosition;
  isUnderWay: boolean;
  /** Present once the message was refused. */
  refused?: { readonly blockage: Blockage; readonly end: EndCondition };
  attempts: number;
  /** Time by which a refused message must have been delivered again; after that, another reader has it. */
  dueBy: number;
}

/** The messages of a consumer that arrived and are not acknowledged yet. */
export class Deliveries {
  readonly #options: DeliveryOptions;
  /** By sequence: looking up a number is faster than creating a string key for each message. */
  readonly #held = new TransientMap<number, Held>();
  /**
   * Timestamps of acknowledged messages by sequence, and the same messages as a ring buffer:
   * the next slot holds the oldest.
   */
  readonly #done = new TransientMap<number, string>();
  readonly #doneInOrder: Pick<Held, "sequence" | "timestampNanos">[] = [];
  #nextDone = 0;
  #ackWait = 0;
  /** Messages of this turn that are not being delivered yet. */
  #arrived: Held[] = [];
  #underWay = 0;
  /** Messages that were written together are settled together: one request then asks for as many further ones. */
  readonly #announce = afterwards(() => this.#options.onSettled());
  #newest = 0;
  /** The position of the latest message, which says how many messages the consumer had left after it. */
  #latest: DeliveryPosition | undefined;
  #signals: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** The number of messages in progress. */
  get underWay(): number {
    return this.#underWay;
  }

  /**
   * Regularly reports messages in progress to the server,
   * which redelivers them after `ackWait` milliseconds without a signal.
   */
  keepAlive(ackWait: number): void {
    this.#ackWait = ackWait;
    clearInterval(this.#signals);
    this.#signals = setInterval(() => this.#signal(), Math.max(10, ackWait / 3));
  }

  /** Takes a message. A message that is in progress or acknowledged already is not delivered again, only answered. */
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
    held.position = position;
    if (held.isUnderWay) return;
    held.isUnderWay = true;
    held.attempts += 1;
    this.#underWay += 1;
    // The messages that the client reads in one piece from its socket are delivered together.
    if (this.#arrived.push(held) === 1) queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    const arrived = this.#arrived;
    this.#arrived = [];
    this.#options.deliver(arrived, (index, settlement) => this.#settle(arrived[index], settlement));
  }

  #heldAt(position: DeliveryPosition, message: Msg): Held {
    const { streamSequence: sequence, timestampNanos } = position;
    const known = this.#held.get(sequence);
    if (known?.timestampNanos === timestampNanos) return known;
    // The known message belongs to a deleted stream and is not delivered again.
    if (known !== undefined) this.#drop(known);
    const held = { sequence, timestampNanos, message, position, isUnderWay: false, attempts: 0, dueBy: 0 };
    this.#held.set(sequence, held);
    return held;
  }

  /**
   * Returns the sequence at which a new consumer has to start to receive every message that is neither acknowledged
   * nor accepted by `isHanded`; `undefined` before the first message.
   */
  resumeAt(isHanded: (sequence: number) => boolean = () => false): number | undefined {
    if (this.#newest === 0) return undefined;
    let oldest = this.#newest + 1;
    for (const { sequence } of this.#held.values()) {
      if (sequence < oldest && !isHanded(sequence)) oldest = sequence;
    }
    return oldest;
  }

  /** Forgets the positions in a deleted stream. Deliveries in progress are completed. */
  beginAnew(): void {
    this.#newest = 0;
    for (const held of this.#held.values()) this.#drop(held);
  }

  /**
   * Messages that the consumer had left at the latest message, plus those held here;
   * `undefined` before the first message.
   */
  get lag(): number | undefined {
    return this.#latest === undefined ? undefined : this.#latest.pending + this.#held.size;
  }

  /** Resolves when no delivery is in progress. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Stops the signals. Call it when no delivery is in progress any longer. */
  close(): void {
    clearInterval(this.#signals);
  }

  #settle(held: Held | undefined, settlement: Settlement): void {
    if (held === undefined) return; // there is no such index
    this.#underWay -= 1;
    held.isUnderWay = false;
    if (settlement === "done") {
      this.#drop(held);
      this.#remember(held);
      this.#options.answer(held.message, "+ACK");
    } else {
      const isHeld = this.#held.get(held.sequence) === held;
      if (settlement.refused !== undefined && isHeld) this.#noteRefused(held, settlement.refused);
      // The message stays held: a consumer that is recreated meanwhile has to deliver it again.
      held.dueBy = performance.now() + settlement.again + 2 * this.#ackWait;
      this.#options.answer(held.message, `-NAK ${JSON.stringify({ delay: settlement.again * 1e6 })}`);
    }
    if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#announce();
  }

  #noteRefused(held: Held, { batch, failure }: FailedDelivery): void {
    if (held.refused === undefined) {
      const blockage = blockageOf(batch, failure, sourceOf);
      held.refused = { blockage, end: this.#options.beginBlockage(blockage) };
      return;
    }
    held.refused.blockage.attempts = held.attempts;
    held.refused.blockage.failure = failure;
  }

  #drop(held: Held): void {
    if (this.#held.get(held.sequence) !== held) return; // already dropped, for a message of a recreated stream
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
