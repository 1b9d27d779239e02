// What happens to a batch between the input and its acknowledgement.

import { sequencesIn } from "../component/children.ts";
import type {
  ComponentContext,
  Delivered,
  ErrorHandling,
  Input,
  Output,
  Processor,
} from "../component/component.ts";
import { OpenScope } from "../component/delivery-scope.ts";
import { acceptFailure, findHeld } from "../component/gate.ts";
import { joinDelivered } from "../component/outcomes.ts";
import { runProcessors } from "../component/pipeline.ts";
import type { Ordering, Sequence } from "../concurrency/ordering.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { noteFailure } from "../failures/place.ts";
import { UnfitMessages } from "../grammar/unfit-messages.ts";
import type { Batch, Message } from "../message/message.ts";
import type { StreamObserver, Tap } from "./observer.ts";
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
  /** Somebody may look at what is written. */
  readonly tap?: Tap | undefined;
}

/** Is told of each batch that is on its way through. */
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
  return (given, input) => {
    flow?.began();
    counters.received += given.length;
    counters.inFlight += given.length;
    const observed = observer?.began(given);
    const batch = observed === undefined ? given : observed.batch;
    const scope = new OpenScope();
    const confirm = (writes: readonly Write[], delivered: Delivered): Delivered => {
      countWrites(writes, parts.output, counters);
      counters.delivered += batch.length;
      observed?.ended(undefined);
      counters.inFlight -= batch.length;
      flow?.ended();
      return scope.answered(delivered);
    };
    const refuse = (error: unknown): never => {
      counters.failed += batch.length;
      const failure = toGatewayError(error, 500, "Internal error");
      logAttempt(context, failure);
      observed?.ended(failure);
      counters.inFlight -= batch.length;
      flow?.ended();
      throw failure;
    };
    // A batch costs one promise here, besides that of its output; hardly any has a scope that is used.
    const fail = (error: unknown): never | Promise<never> =>
      scope.isUsed ? scope.settle(false).then(() => refuse(error), refuse) : refuse(error);
    const settle = ({ writes, delivered }: Sent): Promise<Delivered> =>
      delivered.then(
        (result) =>
          scope.isUsed
            ? scope.settle(true).then(() => confirm(writes, result), refuse)
            : confirm(writes, result),
        (error: unknown) => {
          if (error instanceof GatewayError) noteFailure(error, parts.output);
          return fail(error);
        },
      );
    try {
      const sequences = () => sequencesIn(given, input?.sequenceOf);
      const sent = send(parts, batch, sequences, { ...context, delivery: scope });
      return sent instanceof Promise ? sent.then(settle, fail) : settle(sent);
    } catch (error) {
      return Promise.reject(error).catch(fail);
    }
  };
}

/** A batch that was given to its outputs; what becomes of it is inside, so that its turn can end before that. */
interface Sent {
  readonly writes: readonly Write[];
  readonly delivered: Promise<Delivered>;
}

/** Synchronous where the processors are, and nothing limits how many batches are among them. */
function send(
  parts: DeliveryParts,
  batch: Batch,
  sequences: () => Iterable<Sequence>,
  context: ComponentContext,
): Sent | Promise<Sent> {
  const { turns, ordering, pipeline } = parts;
  const process = () => runProcessors(pipeline, [batch], context);
  const handOver = (batches: readonly Batch[]) => write(parts, batches, context);
  if (ordering !== undefined) {
    const inTurn = turns && (() => turns.use(async () => process()));
    return ordering.run({ sequences, process: inTurn ?? process, handOver });
  }
  const handled = () => {
    const processed = process();
    return processed instanceof Promise ? processed.then(handOver) : handOver(processed);
  };
  return turns === undefined ? handled() : turns.use(async () => handled());
}

function write(parts: DeliveryParts, batches: readonly Batch[], context: ComponentContext): Sent {
  // A processor that was cut short may have flagged its messages, and one after it dropped them for that.
  if (context.signal.aborted) throw new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
  const writes = throughGate(parts, batches);
  const look = parts.tap?.listener;
  if (look !== undefined) for (const { output, batch } of writes) look(batch, output !== parts.output);
  return { writes, delivered: writeAll(writes, parts) };
}

function countWrites(writes: readonly Write[], main: Output, counters: DeliveryCounters): void {
  for (const { output, batch } of writes) {
    if (output === main) counters.written += batch.length;
    else counters.deadLettered += batch.length;
  }
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
  const deadLetters = errorHandling.strategy === "dead_letter" ? errorHandling.output : undefined;
  return batches.flatMap((batch) => {
    const held = batch.map((_, index) => findHeld(output, batch, index));
    const failure = held.find((each) => each !== undefined);
    if (failure === undefined) return [{ output, batch }];
    if (deadLetters === undefined) throw failure;
    const letters = batch.flatMap((message, index) =>
      held[index] === undefined ? [] : toDeadLetter(message, parts.stream),
    );
    const passing = batch.filter((_, index) => held[index] === undefined);
    return [
      ...(passing.length > 0 ? [{ output, batch: passing }] : []),
      { output: deadLetters, batch: letters },
    ];
  });
}

/** A flagged message with the reason in its metadata, its flag cleared; none for one without a flag. */
export function toDeadLetter(message: Message, stream: string): readonly Message[] {
  if (message.failure === undefined) return [];
  const reason = [
    ["dead_letter_reason", message.failure.message],
    ["dead_letter_stream", stream],
  ] as const;
  return [message.withEntries(reason).withFailure(undefined)];
}

/** `writes` are then what was written where, also where messages turned out to be at fault themselves. */
function writeAll(
  writes: Write[],
  { errorHandling, output: main, stream }: DeliveryParts,
): Promise<Delivered> {
  const deadLetters = errorHandling.strategy === "dead_letter" ? errorHandling.output : undefined;
  const [only] = writes;
  if (deadLetters === undefined) {
    return writes.length === 1 && only !== undefined
      ? only.output.write(only.batch)
      : joinDelivered(writes.map(({ output, batch }) => output.write(batch)));
  }
  const written = [...writes];
  return joinDelivered(
    written.map(async (write, index) => {
      try {
        return await write.output.write(write.batch);
      } catch (error) {
        if (write.output !== main || !(error instanceof UnfitMessages)) throw error;
        const letters = lettersOf(write.batch, error).flatMap((message) => toDeadLetter(message, stream));
        const others =
          write.batch.length === 1 ? [] : write.batch.filter((message) => !error.failures.has(message));
        // Of messages that were made into others on their way it is not known which were at fault.
        if (letters.length + others.length !== write.batch.length) throw error;
        writes[index] = { output: main, batch: others };
        writes.push({ output: deadLetters, batch: letters });
        return joinDelivered([
          ...(others.length > 0 ? [main.write(others)] : []),
          deadLetters.write(letters),
        ]);
      }
    }),
  );
}

/** The messages of a batch that are at fault, flagged. A batch of one is at fault whatever was made of it. */
function lettersOf(batch: Batch, { failures }: UnfitMessages): Batch {
  const [only] = batch;
  const [first] = failures.values();
  if (batch.length === 1 && only !== undefined) return [only.withFailure(first)];
  return batch.flatMap((message) => {
    const failure = failures.get(message);
    return failure === undefined ? [] : [message.withFailure(failure)];
  });
}

/** Each attempt; what operators see of a batch that fails is one line, whatever the number of its attempts. */
function logAttempt({ log }: ComponentContext, failure: GatewayError): void {
  log.debug("an attempt to deliver failed", {
    ...describeFailure(failure),
    status: failure.status,
    ...(failure.cause !== undefined && { error: failure.cause }),
  });
}
