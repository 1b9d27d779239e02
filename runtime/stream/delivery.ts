// The way of a batch from its input to its acknowledgement.

import { sequencesIn } from "../component/children.ts";
import type {
  ComponentContext,
  Delivered,
  DirectPath,
  ErrorHandling,
  Input,
  ObservedBatch,
  Output,
  OutputWrite,
  Processor,
  WriteTally,
} from "../component/component.ts";
import { OpenScope } from "../component/delivery-scope.ts";
import { acceptFailure, findHeld } from "../component/gate.ts";
import { joinDelivered } from "../component/outcomes.ts";
import { runProcessors } from "../component/pipeline.ts";
import { InFlight } from "../concurrency/in-flight.ts";
import type { OrderedWork, Ordering, Sequence } from "../concurrency/ordering.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { noteFailure } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { StreamObserver, Tap } from "./observer.ts";
import type { DeliveryCounters } from "./stream-state.ts";

/** The parts that a batch passes through. */
export interface DeliveryParts {
  /** The stream's name, which dead letters carry in their metadata. */
  readonly stream: string;
  readonly pipeline: readonly Processor[];
  /** Limits how many batches are in the pipeline at the same time; unlimited if absent. */
  readonly turns?: Semaphore | undefined;
  /** Keeps the order of batches that are processed concurrently; absent if only one is processed at a time. */
  readonly ordering?: Ordering | undefined;
  readonly output: Output;
  readonly errorHandling: ErrorHandling;
  /** Samples written messages. */
  readonly tap?: Tap | undefined;
}

/** The input that a batch comes from. */
type Origin = Pick<Input, "sequenceOf">;

/** Delivers the batches of the inputs of a pipeline. */
export interface Deliverer {
  /** Delivers one batch of an input; resolves and rejects as `InputContext.deliver` does. */
  deliver(batch: Batch, input?: Origin): Promise<Delivered>;
  /** As `DeliverBatch.direct`, for the messages of an input. Absent if deliveries are repeated as a whole. */
  direct?(input?: Origin): DirectPath;
}

/**
 * Runs batches through the processors, the error gate and the output. It creates one promise per batch.
 * With `reject`, nothing of a batch is written if one of its messages is still flagged at the gate and the output does not
 * accept flagged messages.
 *
 * With `turns`, batches wait for their turn in the order in which they arrived. Without `ordering`, a turn ends when the batch
 * has been handed to the output: batches that take turns one at a time are written in order, however long each takes.
 *
 * It counts the batches in delivery.
 */
export class Delivery extends InFlight implements Deliverer, DeliveryParts {
  // Each batch reads these. In a gateway with many streams, each further object is a miss of the caches.
  readonly pipeline: readonly Processor[];
  readonly turns: Semaphore | undefined;
  readonly ordering: Ordering | undefined;
  readonly output: Output;
  readonly tap: Tap | undefined;
  readonly errorHandling: ErrorHandling;
  readonly signal: AbortSignal;
  readonly counters: DeliveryCounters;
  readonly observer: StreamObserver | undefined;
  /** Whether a processor may use the scope of a batch. Processors that take no context do not. */
  readonly isScoped: boolean;
  readonly context: ComponentContext;
  readonly stream: string;

  constructor(
    parts: DeliveryParts,
    context: ComponentContext,
    counters: DeliveryCounters,
    observer?: StreamObserver,
  ) {
    super();
    this.stream = parts.stream;
    this.pipeline = parts.pipeline;
    this.turns = parts.turns;
    this.ordering = parts.ordering;
    this.output = parts.output;
    this.tap = parts.tap;
    this.errorHandling = parts.errorHandling;
    this.context = context;
    this.signal = context.signal;
    this.counters = counters;
    this.observer = observer;
    this.isScoped = parts.pipeline.some(({ process }) => process.length !== 1);
  }

  deliver(batch: Batch, input?: Origin): Promise<Delivered> {
    return new Passage(this, batch, input).begin();
  }

  direct(input?: Origin): DirectPath {
    const { context, counters, observer } = this;
    return {
      parts: this,
      context,
      counters,
      observer,
      flow: this,
      countFailure: (error, messages) => this.countFailure(error, messages),
      resume: (message, processed, observed) =>
        new Passage(this, [message], input, processed, observed).begin(),
    };
  }

  /** Counts and logs messages that were not delivered; returns the failure for the input. */
  countFailure(error: unknown, messages: number): GatewayError {
    const failure = toGatewayError(error, 500, "Internal error");
    if (!failure.isReturn) this.counters.failed += messages;
    logAttempt(this.context, failure);
    return failure;
  }
}

type Processed = ReturnType<Processor["process"]>;

/** A batch that was handed to its outputs. Its outcome is wrapped, so that its turn can end before the outcome is known. */
interface Sent {
  readonly delivered: Promise<Delivered>;
}

/**
 * One batch in delivery, and the scope of its steps. Many batches are in delivery at the same time, so each is small: it costs
 * one promise here, and one in its output.
 */
class Passage extends OpenScope implements OrderedWork<readonly Batch[], Sent>, WriteTally {
  written = 0;
  deadLettered = 0;
  readonly #way: Delivery;
  readonly #given: Batch;
  readonly #input: Origin | undefined;
  readonly #processed: Processed | undefined;
  readonly #batch: Batch;
  readonly #observed: ObservedBatch | undefined;

  /** `processed`, `observed`: the result of the pipeline and the observed batch, if it was started before. */
  constructor(
    way: Delivery,
    given: Batch,
    input: Origin | undefined,
    processed?: Processed,
    observed = way.observer?.began(given),
  ) {
    super();
    const { counters } = way;
    way.begin();
    counters.received += given.length;
    counters.inFlight += given.length;
    this.#way = way;
    this.#given = given;
    this.#input = input;
    this.#processed = processed;
    this.#observed = observed;
    this.#batch = observed === undefined ? given : observed.batch;
  }

  begin(): Promise<Delivered> {
    try {
      const sent = this.#send();
      if (!(sent instanceof Promise)) return this.#settle(sent);
      return sent.then(
        (handed) => this.#settle(handed),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      return Promise.reject(error).catch((thrown: unknown) => this.#fail(thrown));
    }
  }

  sequences(): Iterable<Sequence> {
    return sequencesIn(this.#given, this.#input?.sequenceOf);
  }

  process(): Processed {
    const { turns, ordering } = this.#way;
    return turns === undefined || ordering === undefined ? this.#run() : turns.use(async () => this.#run());
  }

  handOver(batches: readonly Batch[]): Sent {
    // A processor that was aborted may have flagged its messages, and a later one may have dropped them because of that.
    const way = this.#way;
    if (way.signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
    const writes = throughGate(way, batches);
    const look = way.tap?.listener;
    if (look !== undefined) for (const { output, batch } of writes) look(batch, output !== way.output);
    const delivered = writeAll(writes, way, this);
    releaseDocuments(this.#batch, writes);
    return { delivered };
  }

  #run(): Processed {
    const { pipeline, context, isScoped } = this.#way;
    if (this.#processed !== undefined) return this.#processed;
    return runProcessors(pipeline, [this.#batch], isScoped ? { ...context, delivery: this } : context);
  }

  /** Synchronous if the processors are and the number of concurrent batches is not limited. */
  #send(): Sent | Promise<Sent> {
    const { turns, ordering } = this.#way;
    if (ordering !== undefined) return ordering.run(this);
    return turns === undefined ? this.#carry() : turns.use(async () => this.#carry());
  }

  #carry(): Sent | Promise<Sent> {
    const processed = this.process();
    if (!(processed instanceof Promise)) return this.handOver(processed);
    return processed.then((batches) => this.handOver(batches));
  }

  #settle({ delivered }: Sent): Promise<Delivered> {
    return delivered.then(
      (result) => this.#confirm(result),
      (error: unknown) => {
        if (error instanceof GatewayError) noteFailure(error, this.#way.output);
        return this.#fail(error);
      },
    );
  }

  #confirm(delivered: Delivered): Delivered | Promise<Delivered> {
    const { counters } = this.#way;
    counters.written += this.written;
    counters.deadLettered += this.deadLettered;
    if (!this.isUsed) return this.#end(delivered);
    // The batches it depends on may be held by a collecting output until more messages arrive; then so is this batch.
    const { collectors } = this.#way.context;
    const isHeld = this.dependsOnOthers && collectors?.isEmpty === false;
    const leave = isHeld ? collectors.join({ held: 1 }) : undefined;
    if (isHeld) collectors.changed();
    return this.settle(true)
      .finally(leave)
      .then(
        () => this.#end(delivered),
        (error: unknown) => this.#refuse(error),
      );
  }

  #end(delivered: Delivered): Delivered {
    this.#way.counters.delivered += this.#batch.length;
    this.#observed?.ended(undefined);
    this.#leave();
    return this.answered(delivered);
  }

  #fail(error: unknown): never | Promise<never> {
    if (!this.isUsed) return this.#refuse(error);
    return this.settle(false).then(
      () => this.#refuse(error),
      (other: unknown) => this.#refuse(other),
    );
  }

  #refuse(error: unknown): never {
    const batch = this.#batch;
    const { counters } = this.#way;
    const failed = error instanceof GatewayError ? error.undelivered(batch).length : batch.length;
    // If the failure names its messages, the outputs have confirmed the others. Then no letter is written.
    if (failed < batch.length) {
      counters.delivered += batch.length - failed;
      counters.written += this.written - failed;
    }
    const failure = this.#way.countFailure(error, failed);
    this.#observed?.ended(failure);
    this.#leave();
    throw failure;
  }

  #leave(): void {
    this.#way.counters.inFlight -= this.#batch.length;
    this.#way.end();
  }
}

/**
 * Releases the parsed documents of messages that wait for confirmation while messages made from them are written: a parsed
 * document takes many times the memory of its bytes.
 */
function releaseDocuments(given: Batch, writes: readonly OutputWrite[]): void {
  const [only] = given;
  const [first] = writes;
  if (given.length === 1 && writes.length === 1 && first?.batch.length === 1) {
    if (first.batch[0] !== only) only?.releaseDocument();
    return;
  }
  const written = new Set(writes.flatMap(({ batch }) => batch));
  for (const message of given) if (!written.has(message)) message.releaseDocument();
}

function throughGate(parts: DeliveryParts, batches: readonly Batch[]): OutputWrite[] {
  const { output, errorHandling } = parts;
  const only = batches.length === 1 ? batches[0] : undefined;
  // The most common case: one message, which is not flagged.
  if (only?.length === 1 && only[0]?.failure === undefined) return [{ output, batch: only }];
  if (!batches.some((batch) => batch.some(({ failure }) => failure !== undefined))) {
    return batches.map((batch) => ({ output, batch }));
  }
  if (errorHandling.strategy === "none") {
    return batches.map((batch) => ({ output, batch: batch.map(acceptFailure) }));
  }
  const deadLetters = errorHandling.letters?.();
  const letterOutput = errorHandling.output;
  return batches.flatMap((batch) => {
    const held = batch.map((_, index) => findHeld(output, batch, index));
    const failure = held.find((each) => each !== undefined);
    if (failure === undefined) return [{ output, batch }];
    if (deadLetters === undefined || letterOutput === undefined) throw failure;
    const letters = batch.flatMap((message, index) =>
      held[index] === undefined ? [] : deadLetters.of(message, parts.stream),
    );
    const passing = batch.filter((_, index) => held[index] === undefined);
    return [
      ...(passing.length > 0 ? [{ output, batch: passing }] : []),
      { output: letterOutput, batch: letters },
    ];
  });
}

/** Hands the batches to their outputs. `tally` counts the messages of each output. */
function writeAll(
  writes: readonly OutputWrite[],
  { errorHandling, output: main, stream }: DeliveryParts,
  tally: WriteTally,
): Promise<Delivered> {
  const letters = errorHandling.letters?.();
  const letterOutput = errorHandling.output;
  const [only] = writes;
  for (const { output, batch } of writes) {
    if (output === main) tally.written += batch.length;
    else tally.deadLettered += batch.length;
  }
  if (letters === undefined || letterOutput === undefined) {
    return writes.length === 1 && only !== undefined
      ? only.output.write(only.batch)
      : joinDelivered(writes.map(({ output, batch }) => output.write(batch)));
  }
  return letters.writeAll(writes, { main, letters: letterOutput }, stream, tally);
}

/** Logs one attempt at the level `debug`. Operators get one line per failing batch, however many attempts there are. */
function logAttempt({ log }: ComponentContext, failure: GatewayError): void {
  log.debug("an attempt to deliver failed", {
    ...describeFailure(failure),
    status: failure.status,
    ...(failure.cause !== undefined && { error: failure.cause }),
  });
}
