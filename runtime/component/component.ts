// The interfaces between a stream and its inputs, processors, outputs, buffers and resources.

import type { Collectors, InFlight } from "../concurrency/in-flight.ts";
import type { Ordering, Sequence } from "../concurrency/ordering.ts";
import type { BeginBlockage, Blockage } from "../conditions/blockage.ts";
import type { BeginOutage } from "../conditions/conditions.ts";
import type { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import type { PartPosition, Positions } from "../message/positions.ts";
import type { Logger } from "../process/log.ts";

import type { Endpoint } from "./endpoint.ts";
import type { GatewayScope } from "./gateway-scope.ts";

/** The result of a batch that everything it was sent to has confirmed. */
export interface Delivered {
  /** The reply for a waiting caller, if the stream produces one. */
  readonly response?: Batch;
}

/** The context that every component receives when its stream starts. */
export interface ComponentContext {
  /** Adds the stream's name and the component's path to each line. Never log message content or secrets. */
  readonly log: Logger;
  /**
   * Aborted when the stream has to stop: the component takes no new work and finishes the work in flight. If only this
   * component is closed because another one replaces it, the signal is aborted after that.
   */
  readonly signal: AbortSignal;
  /** Reports that a connection was lost after the start; operators see the stream as failed until the outage ends. */
  readonly beginOutage?: BeginOutage;
  /**
   * Returns a signal that is aborted when the input delivers nothing more: components that collect messages then pass
   * on the messages they have. Few components ask for it.
   */
  readonly draining?: () => AbortSignal;
  /** Whether the stream also delivers messages that a processor failed on (`error_handling.strategy: none`). */
  readonly deliversFailed?: boolean;
  /** The components that collect messages between the input and the confirmation; they join before the input starts. */
  readonly collectors?: Collectors;
  /** The scope of the current batch, for steps of a pipeline. */
  readonly delivery?: DeliveryScope;
  /** The state that the streams of the gateway share; absent if a component runs outside a gateway. */
  readonly gateway?: GatewayScope;
  /**
   * The organisation that owns the stream. Shared names, such as those of channels, are separate for each
   * organisation.
   */
  readonly organisation?: string | undefined;
  /** The stream's source, for outputs; present if its messages can be read again. */
  readonly source?: StreamSource;
}

/** The source of a stream, for outputs whose clients resume where they left off. */
export interface StreamSource {
  /** As `InputPositions.undelivered`; `undefined` while nothing is being read. */
  undelivered(isHanded: (position: PartPosition) => boolean, part?: string): Positions | undefined;
  /** Increases when another input takes over, which may read another source. */
  readonly generation: number;
  /** The stream's name. */
  readonly stream: string;
  /** Returns parts that are not started, to run the stream a second time. */
  createAgain(): StreamParts;
  /** Returns the context of such a run, which ends with the stream or when `signal` is aborted. */
  contextOf(component: string, signal: AbortSignal): ComponentContext;
}

/** Learns the outcomes of several messages by their indexes: for each message, one of the methods is called once. */
export interface OutcomeListener {
  /** Whether it needs the response to each message. */
  readonly takesResponse?: boolean;
  /** `delivered`: absent if there is no response, or if the listener takes none. */
  confirm(index: number, delivered?: Delivered): void;
  fail(index: number, error: unknown): void;
}

/** Observes the deliveries of a stream. */
export interface DeliveryObserver {
  /** The input hands over a batch. */
  began(batch: Batch): ObservedBatch;
}

/** A batch in delivery. */
export interface ObservedBatch {
  /** The batch to deliver instead: the same messages, possibly with more metadata. */
  readonly batch: Batch;
  /** The input gets the outcome: all messages were confirmed, or `failure`. `isReturn` tells whether that is an error. */
  readonly ended: (failure: GatewayError | undefined) => void;
}

/** The current pipeline of a stream, as `deliverEach` uses it. */
export interface DirectPath {
  readonly parts: {
    readonly pipeline: readonly Processor[];
    readonly output: Output;
    readonly errorHandling: ErrorHandling;
    readonly turns?: object | undefined;
    readonly ordering?: Pick<Ordering, "isIdle"> | undefined;
    readonly tap?: { readonly listener: unknown } | undefined;
  };
  readonly context: ComponentContext;
  readonly counters: Record<"received" | "delivered" | "written" | "inFlight", number>;
  readonly observer: DeliveryObserver | undefined;
  /** Counts batches in delivery. */
  readonly flow: Pick<InFlight, "begin" | "end">;
  /** Counts and logs messages that were not delivered; returns the failure for the input. */
  countFailure(error: unknown, messages: number): GatewayError;
  /**
   * Continues the delivery of a message that is processed, or being processed, as `deliver` does. `observed`: the
   * message as `observer` knows it.
   */
  resume(
    message: Message,
    processed: ReturnType<Processor["process"]>,
    observed: ObservedBatch | undefined,
  ): Promise<Delivered>;
}

/** See `InputContext.deliver`. */
export interface DeliverBatch {
  (batch: Batch): Promise<Delivered>;
  /** For `deliverEach`. Absent if the function was replaced. */
  direct?(): DirectPath | undefined;
  /** For `deliverEach`: delivers each message as a batch of its own. Present if they are collected into larger ones. */
  each?(messages: Batch, listener: OutcomeListener): void;
}

/** The context that an input receives. */
export interface InputContext extends ComponentContext {
  /**
   * Passes a batch to the pipeline. Resolves when every output has confirmed it or it was dropped on purpose; rejects
   * with a `GatewayError` if it was not delivered. The input may acknowledge, retry or refuse only after that. The
   * input limits how many deliveries it has in flight.
   */
  readonly deliver: DeliverBatch;
  /**
   * Reports that a batch which cannot be delivered blocks the input; operators see the stream as blocked until that
   * ends.
   */
  readonly beginBlockage: BeginBlockage;
  /**
   * Reports a batch that was refused and that this input does not deliver again: the caller receives an error, or the
   * input ends.
   */
  reportRefused?(refused: Blockage): void;
  /**
   * Rejected deliveries after which an input that retries gives up on the batch: acknowledges and logs it.
   * Absent or 0: it retries without limit.
   */
  readonly maxAttempts?: number;
  /**
   * Takes a batch after its last attempt: writes it to the dead-letter output if the stream has one, otherwise only to
   * the log. Resolves when the batch may be acknowledged; rejects if this write failed, too.
   */
  giveUp?(batch: Batch, failure: GatewayError): Promise<void>;
  /** Counts messages that were refused and are delivered again, or requested again. */
  countRetry?(messages: number): void;
  /**
   * Reports that the input has delivered its last message and that all messages are confirmed. The stream then closes
   * the input and starts no other.
   */
  reportEnd?(): void;
}

/**
 * A source of messages. An instance is started and closed once, and is closed even if `start` failed: each further
 * attempt, and each start on demand, gets a new instance from the stream's factory.
 */
export interface Input {
  /**
   * Connects and begins to read; resolves when it reads. The input repairs later losses of the connection itself.
   * Rejects with a `GatewayError` if the first connection fails; the stream then tries again.
   */
  start(context: InputContext): Promise<void>;
  /** Stops reading, waits for deliveries in flight, acknowledges them and disconnects. Safe to call twice. */
  close(): Promise<void>;
  /**
   * Creates the state that outlives a connection at the broker: declared queues and bindings, durable subscriptions,
   * start offsets of a consumer group. The stream calls it while its output has no client yet, on an instance that it
   * does not start. Takes no message and leaves nothing open; rejects with a `GatewayError`, and the stream tries
   * again. Absent if the input has no durable state.
   */
  prepare?(context: ComponentContext): Promise<void>;
  /** The routes that it serves below the listen path of its API. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Returns the number of messages that wait at the source for this input or are in flight, as reported with the latest
   * messages; `undefined` if it is not known. May be called at any time after `start`.
   */
  lag?(): number | undefined;
  /** Present if messages can be read again from a position. */
  readonly positions?: InputPositions;
  /**
   * Returns the sequence of a message that this input delivered; `undefined` if the order of the message does not
   * matter or if another input delivered it. Pipelines keep the order of a sequence (`concurrency/ordering.ts`).
   * Absent if no message belongs to a sequence.
   */
  sequenceOf?(message: Message): Sequence | undefined;
  /** Returns why the input does not read although it has started: another replica reads; `undefined` while it reads. */
  standby?(): string | undefined;
  /** Whether all messages arrive through its routes, so that another input may serve next to it while it finishes. */
  readonly isServer?: boolean;
}

/** The positions of an input that reads. */
export interface InputPositions {
  /**
   * Returns the oldest undelivered position of each part, skipping those for which `isHanded` returns true;
   * `undefined` while it is not known for every part. `isHanded` need not be called again for a position that it
   * returned true for. `part`: the only one that the caller needs; the result may consist of it alone.
   */
  undelivered(isHanded?: (position: PartPosition) => boolean, part?: string): Positions | undefined;
  /**
   * Returns a separate input that replays from these positions: it acknowledges nothing and takes no messages from
   * others.
   */
  from(positions: Positions): ReplayInput;
}

/** An input that reads messages again that were read before. */
export interface ReplayInput extends Input {
  /** As `InputPositions.undelivered`. */
  undelivered(isHanded?: (position: PartPosition) => boolean): Positions | undefined;
  /** Returns the current end of the source: the position after the newest message of each part. */
  ends(): Promise<Positions>;
  /**
   * Whether it delivers several messages at a time, which the pipeline may combine into one; other readers of the
   * source group them differently.
   */
  readonly collects?: boolean;
}

/** A destination of messages. */
export interface Output {
  /** Connects; resolves and rejects like `Input.start`. */
  start(context: ComponentContext): Promise<void>;
  /**
   * Resolves when the other side has confirmed every message of the batch; rejects with a `GatewayError` if at least
   * one was not confirmed. May be called while earlier writes are in flight; messages that are written in order to
   * one destination arrive in that order.
   */
  write(batch: Batch): Promise<Delivered>;
  /**
   * Writes each message as `write([message])` would, in order, and calls `listener` with each outcome, possibly before
   * it returns. Does not throw. Absent if the output gains nothing from several messages at a time.
   */
  writeEach?(messages: Batch, listener: OutcomeListener): void;
  /** Finishes the writes in flight and disconnects. Safe to call twice. */
  close(): Promise<void>;
  readonly endpoints?: readonly Endpoint[];
  /**
   * Whether the output accepts message `index` of `batch`, on which a processor failed. If absent, it accepts no failed
   * message, and the gate in front of the output rejects them.
   */
  takesFailed?(batch: Batch, index: number): boolean;
  /** Present if messages leave only on demand, such as to connected clients. */
  readonly demand?: Demand;
}

/** The demand for the messages of an output. */
export interface Demand {
  readonly wanted: boolean;
  /** Calls `listener` at each change of `wanted`; returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** The number of connected clients, for operators. */
  readonly clients?: number;
  /**
   * Refuses the writes that wait for demand, and further ones until demand returns, so that the input can leave its
   * broker. The output keeps running.
   */
  release?(): void;
}

/** A step of a pipeline. */
export interface Processor {
  /**
   * Returns the batches that continue, in order; none if everything was dropped. If the step fails on a message, passes
   * the message on unchanged except for its `failure`. Synchronous where possible.
   */
  process(batch: Batch, context: ComponentContext): readonly Batch[] | Promise<readonly Batch[]>;
  close?(): Promise<void>;
}

/** Called once with whether the whole batch was delivered. It must not reject. */
export type SettledListener = (delivered: boolean) => void | Promise<void>;

/** The delivery of one batch, as a step of the pipeline sees it. */
export interface DeliveryScope {
  /**
   * Calls `listener` when it is known whether everything that resulted from the batch was delivered, and waits for it
   * before the input may acknowledge.
   */
  onSettled(listener: SettledListener): void;
  /**
   * Makes the acknowledgement wait for `other` as well; if it rejects, the batch counts as undelivered and is delivered
   * again. Listeners do not wait for it, so that batches may depend on each other.
   */
  dependOn(other: Promise<void>): void;
  /**
   * Adds messages to the response for a caller who waits at the input; they are sent only if the batch is delivered.
   */
  reply(messages: Batch): void;
}

/** State that the components of a stream share, from one `start` to one `close`. */
export interface Resource {
  /**
   * Connects, if the resource has something to connect to. Rejects with a `GatewayError` if that fails; the stream then
   * tries again with the same resource.
   */
  start?(context: ComponentContext): Promise<void>;
  /**
   * Continues with the in-memory state of `other`, which stays in use for a while: a resource with the same kind and
   * the same options, from an earlier version of the stream. Absent if the resource has no state in memory.
   */
  takeOver?(other: Resource): void;
  /** Disconnects. Safe to call twice. */
  close?(): Promise<void>;
}

/** The treatment of messages that a processor failed on. */
export interface ErrorHandling {
  /**
   * `reject`: refuse the message to the input; `retry`: process it again; `none`: deliver it anyway; `dead_letter`:
   * write it to `output`.
   */
  readonly strategy: "reject" | "retry" | "none" | "dead_letter";
  /** Attempts after which a broker message counts as undeliverable; 0 means no limit. */
  readonly max_attempts?: number;
  readonly output?: Output;
  /** With `dead_letter`: creates the object that writes messages to `output`. */
  readonly letters?: () => DeadLetters;
  /**
   * With `retry`: repeats a delivery until it succeeds, at most `attempts` times (0: no limit), or until `end` is
   * aborted.
   */
  readonly repeat?: RepeatDelivery;
  /** Wraps a step so that it logs the messages that it fails on. */
  readonly log?: (step: Processor) => Processor;
}

/** A batch and the output that gets it. */
export interface OutputWrite {
  readonly output: Output;
  readonly batch: Batch;
}

/** Writes undelivered messages to the dead-letter output. */
export interface DeadLetters {
  /**
   * Returns a message that is flagged as failed, with the reason in its metadata and its flag cleared; none if it has
   * no flag.
   */
  of(message: Message, stream: string): readonly Message[];
  /**
   * Writes dead letters, without the metadata that their output can never carry. If it refuses some for good (`isUnfit`), the
   * others are written.
   */
  write(output: Output, letters: Batch): Promise<Delivered>;
  /**
   * Writes batches to the stream's own output or to the dead-letter output. Messages that the former can never carry go to
   * the latter. Dead letters are written when all others are delivered.
   */
  writeAll(
    writes: readonly OutputWrite[],
    outputs: { readonly main: Output; readonly letters: Output },
    stream: string,
    tally: WriteTally,
  ): Promise<Delivered>;
  /** Whether a write failed because of the message itself, so that another attempt cannot succeed. */
  isUnfit(error: unknown): error is GatewayError;
}

/**
 * The number of messages of a batch that each output received. Valid even if some messages were at fault themselves.
 */
export interface WriteTally {
  written: number;
  deadLettered: number;
}

/** Returns a function that repeats a delivery; `deliver` makes one attempt. */
export type RepeatDelivery = <A extends readonly unknown[]>(
  deliver: (...given: A) => Promise<Delivered>,
  log: Logger,
  end: AbortSignal,
  attempts: number,
) => (...given: A) => Promise<Delivered>;

/** The parts of one stream instance that is not started yet. */
export interface StreamParts {
  readonly input: Input;
  readonly pipeline?: readonly Processor[];
  /** The number of batches that the processors work on at a time; no limit if absent. */
  readonly threads?: number;
  readonly output: Output;
  readonly errorHandling?: ErrorHandling;
  /** The resources that the parts share; started before the parts and closed after them. */
  readonly resources?: readonly Resource[];
  /** Creates new parts that use the same resources; absent if the stream has no resources. */
  readonly again?: () => StreamParts;
}

/** A running buffer. An instance is opened and closed once. */
export interface Buffer {
  /** Begins to pass stored batches to `context.deliver`. Rejects with a `GatewayError` if it cannot store anything. */
  open(context: InputContext): Promise<void>;
  /**
   * Resolves when the batch is stored, so that the input may acknowledge it; waits while the buffer is full. Rejects
   * with a `GatewayError` if the batch is not stored.
   */
  write(batch: Batch): Promise<Delivered>;
  /** Resolves when everything that was written is delivered. */
  idle(): Promise<void>;
  /** Holds written batches until more arrive; set after `open`, absent if no batch waits for others. */
  readonly collectors?: Collectors | undefined;
  /**
   * Refuses the writes that would wait for a period to end, so that the input can be closed; called before the input
   * closes.
   */
  stop?(): void;
  /**
   * Accepts nothing more, and waits until the stored batches are delivered or the stream's time is over. Safe to call
   * twice.
   */
  close(): Promise<void>;
}
