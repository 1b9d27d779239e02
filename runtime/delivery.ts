// What happens to a batch between the input and its acknowledgement.

import type { ComponentContext, Delivered, Output, Processor } from "./component.ts";
import { type GatewayError, MappingError, toGatewayError } from "./errors.ts";
import type { ErrorHandling } from "./gateway.ts";
import type { Batch, Message } from "./message.ts";
import { runProcessors } from "./pipeline.ts";

/** Messages by what became of them; of one stream since the gateway started. */
export interface DeliveryCounters {
  received: number;
  /** Confirmed by the output, dropped on purpose, or handed to the dead-letter output. */
  delivered: number;
  /** Refused to the input. A retry counts again. */
  failed: number;
  inFlight: number;
}

/** Counters that start at nothing. */
export function createCounters(): DeliveryCounters {
  return { received: 0, delivered: 0, failed: 0, inFlight: 0 };
}

/** What a batch passes through. */
export interface DeliveryParts {
  /** The stream's name, for the metadata of dead letters. */
  readonly stream: string;
  readonly pipeline: readonly Processor[];
  readonly output: Output;
  readonly errorHandling: ErrorHandling;
}

/** Takes one batch through; resolves and rejects as `InputContext.deliver` does. */
export type Deliver = (batch: Batch) => Promise<Delivered>;

/**
 * Processors in order, then the error gate, then the output: one promise for the whole batch. With
 * `reject` nothing of a batch is written when one of its messages is still flagged at the gate.
 */
export function createDelivery(
  parts: DeliveryParts,
  context: ComponentContext,
  counters: DeliveryCounters,
): Deliver {
  return async (batch) => {
    counters.received += batch.length;
    counters.inFlight += batch.length;
    try {
      const processed = runProcessors(parts.pipeline, [batch], context);
      const batches = processed instanceof Promise ? await processed : processed;
      const delivered = await writeAll(throughGate(parts, batches));
      counters.delivered += batch.length;
      return delivered;
    } catch (error) {
      counters.failed += batch.length;
      const failure = toGatewayError(error, 500, "Internal error");
      logFailure(context, failure);
      throw failure;
    } finally {
      counters.inFlight -= batch.length;
    }
  };
}

interface Write {
  readonly output: Output;
  readonly batch: Batch;
}

function throughGate(parts: DeliveryParts, batches: readonly Batch[]): readonly Write[] {
  const { output, errorHandling } = parts;
  const failure = batches.flat().find((message) => message.failure !== undefined)?.failure;
  if (failure === undefined || errorHandling.strategy === "none") {
    return batches.map((batch) => ({ output, batch }));
  }
  const deadLetters = errorHandling.strategy === "dead_letter" ? errorHandling.output : undefined;
  if (deadLetters === undefined) throw failure;
  return batches
    .flatMap((batch) => [
      { output, batch: batch.filter((message) => message.failure === undefined) },
      { output: deadLetters, batch: batch.flatMap((message) => toDeadLetter(message, parts.stream)) },
    ])
    .filter(({ batch }) => batch.length > 0);
}

/** A flagged message with the reason in its metadata, its flag cleared; none for one without a flag. */
export function toDeadLetter(message: Message, stream: string): readonly Message[] {
  if (message.failure === undefined) return [];
  const metadata = new Map(message.metadata);
  metadata.set("dead_letter_reason", message.failure.message);
  metadata.set("dead_letter_stream", stream);
  return [message.withMetadata(metadata).withFailure(undefined)];
}

async function writeAll(writes: readonly Write[]): Promise<Delivered> {
  const [only] = writes;
  if (only === undefined) return {};
  if (writes.length === 1) return only.output.write(only.batch);
  // All are waited for, also when one failed: the input may retry only when nothing is under way any more.
  const outcomes = await Promise.allSettled(writes.map(({ output, batch }) => output.write(batch)));
  const responses: Message[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") throw outcome.reason;
    responses.push(...(outcome.value.response ?? []));
  }
  return responses.length > 0 ? { response: responses } : {};
}

/** The text of a mapping's failure quotes the message, so it stays out of the log. */
function logFailure({ log }: ComponentContext, failure: GatewayError): void {
  const level = failure.status >= 500 ? "warn" : "debug";
  const reason = failure instanceof MappingError ? "a processor failed on a message" : failure.message;
  log[level]("batch not delivered", {
    status: failure.status,
    reason,
    ...(failure.cause !== undefined && { error: failure.cause }),
  });
}
