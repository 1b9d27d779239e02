// What inputs, processors and outputs are to the stream that holds them.

import type { Collectors } from "../concurrency/in-flight.ts";
import type { Sequence } from "../concurrency/ordering.ts";
import type { BeginBlockage, Blockage } from "../conditions/blockage.ts";
import type { BeginOutage } from "../conditions/conditions.ts";
import type { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { PartPosition, Positions } from "../message/positions.ts";
import type { Logger } from "../process/log.ts";

import type { Endpoint } from "./endpoint.ts";
import type { GatewayScope } from "./gateway-scope.ts";

/** What is known once a batch is confirmed by everything it went to. */
export interface Delivered {
  /** The reply for a caller that waits, where the stream makes one. */
  readonly response?: Batch;
}

/** What every component is given when its stream starts. */
export interface ComponentContext {
  /** Carries the stream's name and the component's path; never log message content or secrets. */
  readonly log: Logger;
  /**
   * Aborted when the stream is to stop: take nothing new, finish what is in flight. Where only this component is closed,
   * since another takes its place, it is aborted after that.
   */
  readonly signal: AbortSignal;
  /** Begins the loss of a connection after the start; operators see the stream failed until it ends. */
  readonly beginOutage?: BeginOutage;
  /** Aborted when nothing new comes from the input any more: what collects messages hands on what it has. */
  readonly draining?: AbortSignal;
  /** The stream delivers messages that a processor failed on all the same (`error_handling.strategy: none`). */
  readonly deliversFailed?: boolean;
  /** What collects messages between the input and the confirmation: members join it before the input starts. */
  readonly collectors?: Collectors;
  /** The way of the batch at hand, for steps of a pipeline. */
  readonly delivery?: DeliveryScope;
  /** What the streams of the gateway share; absent where a component runs outside of one. */
  readonly gateway?: GatewayScope;
  /** Whose stream it is; names that streams share mean nothing to those of another organisation. */
  readonly organisation?: string | undefined;
  /** What an output can ask of the stream's input, where its messages can be read again. */
  readonly source?: StreamSource;
}

/** The source of a stream, for outputs whose clients come back to where they were. */
export interface StreamSource {
  /** As `InputPositions.undelivered`; `undefined` while nothing is read. */
  undelivered(isHanded: (position: PartPosition) => boolean): Positions | undefined;
  /** Counts up when another input takes over, which may read something else. */
  readonly generation: number;
  /** The stream's name. */
  readonly stream: string;
  /** Unstarted parts to run the stream a second time with. */
  createAgain(): StreamParts;
  /** The context of such a run, which ends with the stream or by `signal`. */
  contextOf(component: string, signal: AbortSignal): ComponentContext;
}

/** What an input is given besides. */
export interface InputContext extends ComponentContext {
  /**
   * Hands a batch to the pipeline. Resolves once every output has confirmed it (or it was dropped on
   * purpose); rejects with a `GatewayError` when it was not delivered. Only then may the input
   * acknowledge, retry or refuse. The input bounds how many deliveries it has in flight.
   */
  deliver(batch: Batch): Promise<Delivered>;
  /** Begins to be held up by a batch that cannot be delivered; operators see the stream blocked until it ends. */
  readonly beginBlockage: BeginBlockage;
  /** Reports a batch that was refused and that this input does not deliver again: its caller is answered, or the input ends. */
  reportRefused?(refused: Blockage): void;
  /**
   * Rejected deliveries after which an input that retries gives the batch up: acknowledges and logs it.
   * Absent or 0: it retries without end.
   */
  readonly maxAttempts?: number;
  /**
   * Takes a batch after its last attempt: to the dead-letter output where the stream has one, else to the
   * log alone. Resolves when the batch may be acknowledged; rejects when it could not be taken either.
   */
  giveUp?(batch: Batch, failure: GatewayError): Promise<void>;
  /** Counts messages that were refused and are handed over again, or asked for again. */
  countRetry?(messages: number): void;
  /**
   * Tells that the input has given all there ever is, and that all of it is confirmed. The stream then closes
   * it and starts no other.
   */
  reportEnd?(): void;
}

/**
 * Where messages come from. One instance lives from one `start` to one `close`, also when `start` failed:
 * each further attempt, and each start on demand, gets a new instance from the stream's factory.
 */
export interface Input {
  /**
   * Connects and begins to read; resolves once reading. Later losses of the connection are its own to
   * repair. Rejects with a `GatewayError` when the first connection cannot be made; the stream tries again.
   */
  start(context: InputContext): Promise<void>;
  /** Stops reading, waits for deliveries in flight, acknowledges them, disconnects. Safe to call twice. */
  close(): Promise<void>;
  /**
   * Creates what outlives a connection at the broker: declared queues and bindings, durable subscriptions, start offsets of a
   * consumer group. The stream calls it while its output has no client yet, on an instance that it does not start. Takes no
   * message and leaves nothing open; rejects with a `GatewayError`, and the stream tries again. Absent where nothing is durable.
   */
  prepare?(context: ComponentContext): Promise<void>;
  /** Routes it serves below the listen path of its API. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Messages that wait at the source for this input, or are under way, as far as it was told with the latest ones;
   * `undefined` where it does not know. Asked at any time after `start`.
   */
  lag?(): number | undefined;
  /** Present where what was read can be read again from a position. */
  readonly positions?: InputPositions;
  /**
   * Of which sequence a message is that it delivered; `undefined` for one whose order does not count, or that is of another
   * input. Pipelines keep the order of a sequence (`concurrency/ordering.ts`). Absent where no message has one.
   */
  sequenceOf?(message: Message): Sequence | undefined;
  /** Why it does not read although it has started: another replica does; `undefined` while it reads. */
  standby?(): string | undefined;
  /** Everything comes by its routes, so that another may serve beside it while it finishes. */
  readonly isServer?: boolean;
}

/** Positions of an input that reads. */
export interface InputPositions {
  /**
   * The oldest of each part that is not delivered yet, passing over those of which `isHanded` says so; `undefined` while
   * it is not known of every part. What `isHanded` has said yes of it need not be asked again.
   */
  undelivered(isHanded?: (position: PartPosition) => boolean): Positions | undefined;
  /** A separate input that replays from these positions: it acknowledges nothing and takes no messages from others. */
  from(positions: Positions): ReplayInput;
}

/** An input that reads again what was read. */
export interface ReplayInput extends Input {
  /** As `InputPositions.undelivered`. */
  undelivered(isHanded?: (position: PartPosition) => boolean): Positions | undefined;
  /** Where the source ends now: after its newest message of each part. */
  ends(): Promise<Positions>;
  /** Whether it hands over several messages at a time, of which one may be made; other readers group them otherwise. */
  readonly collects?: boolean;
}

/** Where messages go. */
export interface Output {
  /** Connects; as `Input.start`. */
  start(context: ComponentContext): Promise<void>;
  /**
   * Resolves once the other side has confirmed every message of the batch; rejects with a
   * `GatewayError` when at least one was not. May be called while earlier writes are in flight; what is
   * written in order to one destination arrives in that order.
   */
  write(batch: Batch): Promise<Delivered>;
  /** Finishes writes in flight and disconnects. Safe to call twice. */
  close(): Promise<void>;
  readonly endpoints?: readonly Endpoint[];
  /**
   * Whether message `index` of `batch`, on which a processor failed, is meant to come here. Absent: none is,
   * and the gate in front of the output holds them up.
   */
  takesFailed?(batch: Batch, index: number): boolean;
  /** Present where messages only leave on demand, such as to connected clients. */
  readonly demand?: Demand;
}

/** Whether there is demand now. */
export interface Demand {
  readonly wanted: boolean;
  /** Calls `listener` at each change of `wanted`; gives back how to stop that. */
  onChange(listener: () => void): () => void;
  /** How many ask now, for operators. */
  readonly clients?: number;
  /**
   * Refuses the writes that wait for demand, and further ones until there is some, so that
   * the input can leave its broker. The output goes on.
   */
  release?(): void;
}

/** A step of a pipeline. */
export interface Processor {
  /**
   * Gives the batches that go on, in order; none when everything was dropped. A message the step fails
   * on is passed on unchanged but for its `failure`. Synchronous where it can be.
   */
  process(batch: Batch, context: ComponentContext): readonly Batch[] | Promise<readonly Batch[]>;
  close?(): Promise<void>;
}

/** Called once with whether the whole batch was delivered. It must not reject. */
export type SettledListener = (delivered: boolean) => void | Promise<void>;

/** The way of one batch, from a step's point of view. */
export interface DeliveryScope {
  /**
   * Calls `listener` once it is known whether everything that came of the batch was delivered, and waits for it
   * before the input may acknowledge.
   */
  onSettled(listener: SettledListener): void;
  /**
   * The input may acknowledge only once this is fulfilled, too; where it rejects, the batch was not delivered
   * and comes again. Listeners run without it, so that batches may depend on each other.
   */
  dependOn(other: Promise<void>): void;
  /** Adds to what a caller who waits at the input is answered, should the batch be delivered. */
  reply(messages: Batch): void;
}

/** What the components of a stream share, from one `start` to one `close`. */
export interface Resource {
  /**
   * Connects, where there is something to connect to. Rejects with a `GatewayError` when that fails; the
   * stream then tries again, with the same resource.
   */
  start?(context: ComponentContext): Promise<void>;
  /**
   * Goes on with what `other` holds in memory, which stays in use for a while: one of the same kind and the same
   * options, of an earlier version of the stream. Absent where nothing is held.
   */
  takeOver?(other: Resource): void;
  /** Disconnects. Safe to call twice. */
  close?(): Promise<void>;
}

/** What happens to messages that a processor failed on. */
export interface ErrorHandling {
  /** `reject`: refuse to the input; `retry`: process again; `none`: deliver anyway; `dead_letter`: hand to `output`. */
  readonly strategy: "reject" | "retry" | "none" | "dead_letter";
  /** Attempts before a broker message counts as undeliverable; 0 means without end. */
  readonly max_attempts?: number;
  readonly output?: Output;
  /** With `dead_letter`: what brings messages to `output`. */
  readonly letters?: () => DeadLetters;
  /** With `retry`: delivers a batch again and again until that succeeds, `attempts` times at most (0: any number), or `end` is aborted. */
  readonly repeat?: RepeatDelivery;
  /** Has a step log messages that it fails on. */
  readonly log?: (step: Processor) => Processor;
}

/** How messages that were not delivered come to the dead-letter output. */
export interface DeadLetters {
  /** A flagged message with the reason in its metadata, its flag cleared; none for one without a flag. */
  of(message: Message, stream: string): readonly Message[];
  /** Writes dead letters, without those metadata that their output can never carry. */
  write(output: Output, letters: Batch): Promise<Delivered>;
  /** Writes a batch to the stream's own output, and what that can never carry to that of the dead letters. */
  divert(
    batch: Batch,
    outputs: { readonly main: Output; readonly letters: Output },
    stream: string,
    tally: WriteTally,
  ): Promise<Delivered>;
  /** Whether a write failed by the message itself, so that no attempt can change it. */
  isUnfit(error: unknown): boolean;
}

/** How many messages of a batch were written where, also where messages turned out to be at fault themselves. */
export interface WriteTally {
  written: number;
  deadLettered: number;
}

/** What repeats deliveries; `deliver` is one attempt. */
export type RepeatDelivery = <A extends readonly unknown[]>(
  deliver: (...given: A) => Promise<Delivered>,
  log: Logger,
  end: AbortSignal,
  attempts: number,
) => (...given: A) => Promise<Delivered>;

/** The parts of one stream instance, unstarted. */
export interface StreamParts {
  readonly input: Input;
  readonly pipeline?: readonly Processor[];
  /** Batches among the processors at a time; any number where absent. */
  readonly threads?: number;
  readonly output: Output;
  readonly errorHandling?: ErrorHandling;
  /** What the parts share; started before them and closed after them. */
  readonly resources?: readonly Resource[];
  /** Makes parts anew around the same resources; absent where there are none. */
  readonly again?: () => StreamParts;
}

/** A buffer at work. One instance lives from one `open` to one `close`. */
export interface Buffer {
  /** Begins to hand what is kept to `context.deliver`. Rejects with a `GatewayError` where it cannot keep anything. */
  open(context: InputContext): Promise<void>;
  /**
   * Resolves once the batch is kept, so that the input may acknowledge it; waits while there is no room. Rejects with a
   * `GatewayError` where it is not kept.
   */
  write(batch: Batch): Promise<Delivered>;
  /** Resolves once everything that was written is delivered. */
  idle(): Promise<void>;
  /** What holds written batches until more come; known once it is open, absent where none waits for that. */
  readonly collectors?: Collectors | undefined;
  /** Refuses what would wait for the time, so that the input can be closed; called before that. */
  stop?(): void;
  /** Takes nothing more, and waits for what is kept until the stream's time is over. Safe to call twice. */
  close(): Promise<void>;
}
