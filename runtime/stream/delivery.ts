// What happens to a batch between the input and its acknowledgement.

import { sequencesIn } from "../component/children.ts";
import type {
  ComponentContext,
  Delivered,
  ErrorHandling,
  Input,
  Output,
  Processor,
  WriteTally,
} from "../component/component.ts";
import { OpenScope } from "../component/delivery-scope.ts";
import { acceptFailure, findHeld } from "../component/gate.ts";
import { joinDelivered } from "../component/outcomes.ts";
import { runProcessors } from "../component/pipeline.ts";
import type { OrderedWork, Ordering, Sequence } from "../concurrency/ordering.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { noteFailure } from "../failures/place.ts";
import type { Batch } from "../message/message.ts";
import type { ObservedBatch, StreamObserver, Tap } from "./observer.ts";
import type { DeliveryCounters } from "./stream-state.ts";

/** What a batch passes through. */
export interface DeliveryParts {
  /** The stream's name, for the metadata of dead letters. */
  readonly stream: string;
  readonly pipeline: readonly Processor[];
  /** By what batches are among the processors a number at a time; any number where absent. */
  readonly turns?: Semaphore | undefined;
  /** Keeps the order of batches that are processed side by side; absent where only one is at a time. */
  readonly ordering?: Ordering | undefined;
  readonly output: Output;
  readonly errorHandling: ErrorHandling;
  /** Lets written messages be sampled. */
  readonly tap?: Tap | undefined;
}

/** Called for each batch that passes through. */
export interface Flow {
  began(): void;
  ended(): void;
}

/** Takes one batch of an input through; resolves and rejects as `InputContext.deliver` does. */
export type Deliver = (batch: Batch, input?: Pick<Input, "sequenceOf">) => Promise<Delivered>;

/**
 * Processors in order, then the error gate, then the output: one promise for the whole batch. With
 * `reject` nothing of a batch is written when one of its messages is still flagged at the gate and the
 * output is no place for such messages.
 *
 * With `turns`, a batch waits for its turn in the order batches came. Without `ordering`, its turn ends when it was handed to
 * the output: one at a time, batches are written in that order, however long each takes to be processed or confirmed.
 */
export function createDelivery(
  parts: DeliveryParts,
  context: ComponentContext,
  counters: DeliveryCounters,
  observer?: StreamObserver,
  flow?: Flow,
): Deliver {
  const way: Way = { parts, context, counters, observer, flow };
  return (given, input) => new Passage(way, given, input).begin();
}

/** What all batches have in common. */
interface Way {
  readonly parts: DeliveryParts;
  readonly context: ComponentContext;
  readonly counters: DeliveryCounters;
  readonly observer: StreamObserver | undefined;
  readonly flow: Flow | undefined;
}

/** A batch that was given to its outputs; what becomes of it is inside, so that its turn can end before that. */
interface Sent {
  readonly delivered: Promise<Delivered>;
}

/**
 * One batch on its way, and what its steps can learn of it: many are under way at a time, so that each is little. It costs one
 * promise here, besides that of its output.
 */
class Passage extends OpenScope implements OrderedWork<readonly Batch[], Sent>, WriteTally {
  written = 0;
  deadLettered = 0;
  readonly #way: Way;
  readonly #given: Batch;
  readonly #input: Pick<Input, "sequenceOf"> | undefined;
  readonly #batch: Batch;
  readonly #observed: ObservedBatch | undefined;

  constructor(way: Way, given: Batch, input: Pick<Input, "sequenceOf"> | undefined) {
    super();
    const { counters, observer, flow } = way;
    flow?.began();
    counters.received += given.length;
    counters.inFlight += given.length;
    this.#way = way;
    this.#given = given;
    this.#input = input;
    this.#observed = observer?.began(given);
    this.#batch = this.#observed === undefined ? given : this.#observed.batch;
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

  process(): readonly Batch[] | Promise<readonly Batch[]> {
    const { turns, ordering } = this.#way.parts;
    return turns === undefined || ordering === undefined ? this.#run() : turns.use(async () => this.#run());
  }

  handOver(batches: readonly Batch[]): Sent {
    // A processor that was cut short may have flagged its messages, and one after it dropped them for that.
    if (this.#way.context.signal.aborted)
      throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
    const { parts } = this.#way;
    const writes = throughGate(parts, batches);
    const look = parts.tap?.listener;
    if (look !== undefined) for (const { output, batch } of writes) look(batch, output !== parts.output);
    const delivered = writeAll(writes, parts, this);
    releaseDocuments(this.#batch, writes);
    return { delivered };
  }

  #run(): readonly Batch[] | Promise<readonly Batch[]> {
    const { parts, context } = this.#way;
    return runProcessors(parts.pipeline, [this.#batch], { ...context, delivery: this });
  }

  /** Synchronous where the processors are, and nothing limits how many batches are among them. */
  #send(): Sent | Promise<Sent> {
    const { turns, ordering } = this.#way.parts;
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
        if (error instanceof GatewayError) noteFailure(error, this.#way.parts.output);
        return this.#fail(error);
      },
    );
  }

  #confirm(delivered: Delivered): Delivered | Promise<Delivered> {
    const { counters } = this.#way;
    counters.written += this.written;
    counters.deadLettered += this.deadLettered;
    if (!this.isUsed) return this.#end(delivered);
    // What it depends on may be held until more comes, and so is this.
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
    const failure = toGatewayError(error, 500, "Internal error");
    if (!failure.isReturn) this.#way.counters.failed += this.#batch.length;
    logAttempt(this.#way.context, failure);
    this.#observed?.ended(failure);
    this.#leave();
    throw failure;
  }

  #leave(): void {
    this.#way.counters.inFlight -= this.#batch.length;
    this.#way.flow?.ended();
  }
}

/**
 * Releases what was parsed of messages that wait for their confirmation while others, which were made of them, are written:
 * parsed, they take many times their size.
 */
function releaseDocuments(given: Batch, writes: readonly Write[]): void {
  const [only] = given;
  const [first] = writes;
  if (given.length === 1 && writes.length === 1 && first?.batch.length === 1) {
    if (first.batch[0] !== only) only?.releaseDocument();
    return;
  }
  const written = new Set(writes.flatMap(({ batch }) => batch));
  for (const message of given) if (!written.has(message)) message.releaseDocument();
}

interface Write {
  readonly output: Output;
  readonly batch: Batch;
}

function throughGate(parts: DeliveryParts, batches: readonly Batch[]): Write[] {
  const { output, errorHandling } = parts;
  // Hardly any message is flagged, and then there is nothing to be looked at twice.
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

/** `tally` counts what was given to which output. */
function writeAll(
  writes: readonly Write[],
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
  const outputs = { main, letters: letterOutput };
  return joinDelivered(
    writes.map(({ output, batch }) =>
      output === main ? letters.divert(batch, outputs, stream, tally) : letters.write(output, batch),
    ),
  );
}

/** Each attempt; what operators see of a batch that fails is one line, whatever the number of its attempts. */
function logAttempt({ log }: ComponentContext, failure: GatewayError): void {
  log.debug("an attempt to deliver failed", {
    ...describeFailure(failure),
    status: failure.status,
    ...(failure.cause !== undefined && { error: failure.cause }),
  });
}
