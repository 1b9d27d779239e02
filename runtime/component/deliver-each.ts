// Delivers many messages at once, each as a batch of its own with an outcome of its own.

import { attempt } from "../concurrency/promises.ts";
import { takeOut } from "../concurrency/transient.ts";
import { GatewayError } from "../errors.ts";
import { noteFailure } from "../failures/place.ts";
import type { Batch, Message } from "../message/message.ts";
import type {
  DeliverBatch,
  Delivered,
  DirectPath,
  ObservedBatch,
  OutcomeListener,
  Output,
  Processor,
} from "./component.ts";
import { runProcessors } from "./pipeline.ts";

/**
 * Delivers each of `messages` as `deliver([message])` would, in order, and calls `listener` with each outcome. Where
 * the pipeline allows it, the messages reach the output together, and need neither a promise nor a scope each.
 */
export function deliverEach(deliver: DeliverBatch, messages: Batch, listener: OutcomeListener): void {
  if (deliver.each !== undefined) {
    deliver.each(messages, listener);
    return;
  }
  const path = deliver.direct?.();
  const output = path && jointOutput(path);
  let joint: Run | undefined;
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined) continue; // batches have no holes
    // A message that is still being processed may have to stay in front of the ones that follow.
    if (path === undefined || output === undefined || path.parts.ordering?.isIdle === false) {
      report(attempt(deliver, [message]), index, listener);
      continue;
    }
    const observed = path.observer?.began([message]);
    const given = observed?.batch ?? [message];
    const processed = run(path, given);
    const made = onlyMessage(processed);
    if (made !== undefined) {
      if (made !== given[0]) given[0]?.releaseDocument();
      joint ??= new Run(path, output, listener);
      joint.add(made, index, observed);
      continue;
    }
    if (!isDropped(processed)) {
      joint?.write(); // what is written for this message comes after
      joint = undefined;
    }
    report(path.resume(message, processed, observed), index, listener);
  }
  joint?.write();
}

/** Receives the outcome of each message, and those that failed. */
export interface FailedListener {
  confirm(index: number): void;
  fail(index: number, failed: Batch, error: unknown): void;
}

/** As `deliverEach`. A message with an outcome is not kept while others of `messages` have none. */
export function deliverEachOnce(deliver: DeliverBatch, messages: Batch, listener: FailedListener): void {
  const kept: (Message | undefined)[] = [...messages];
  deliverEach(deliver, messages, {
    confirm(index) {
      takeOut(kept, index);
      listener.confirm(index);
    },
    fail(index, error) {
      const message = takeOut(kept, index);
      listener.fail(index, message === undefined ? [] : [message], error);
    },
  });
}

type JointOutput = Output & Pick<Required<Output>, "writeEach">;

/**
 * Returns the output if messages can be written together, without a scope each: nothing looks at them where they are
 * written, processors that take no context do not use a scope, and each write has one outcome.
 */
function jointOutput({ parts, context }: DirectPath): JointOutput | undefined {
  const { pipeline, output, errorHandling, turns, tap } = parts;
  if (tap?.listener !== undefined || turns !== undefined || errorHandling.letters !== undefined)
    return undefined;
  if (context.signal.aborted || pipeline.some(({ process }) => process.length !== 1)) return undefined;
  return isJoint(output) ? output : undefined;
}

function isJoint(output: Output): output is JointOutput {
  return output.writeEach !== undefined;
}

/** Calls `listener` with the outcome of one message. */
export function report(delivered: Promise<Delivered>, index: number, listener: OutcomeListener): void {
  delivered.then(
    (outcome) => listener.confirm(index, outcome),
    (error: unknown) => listener.fail(index, error),
  );
}

type Processed = ReturnType<Processor["process"]>;

function run({ parts, context }: DirectPath, batch: Batch): Processed {
  try {
    return runProcessors(parts.pipeline, [batch], context);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Returns the message that one became, if nothing but a write is left to be done; `undefined` otherwise. */
function onlyMessage(processed: Processed): Message | undefined {
  if (processed instanceof Promise || processed.length !== 1) return undefined;
  const [batch] = processed;
  const made = batch?.length === 1 ? batch[0] : undefined;
  return made?.failure === undefined ? made : undefined;
}

function isDropped(processed: Processed): boolean {
  return !(processed instanceof Promise) && processed.length === 0;
}

/** Processed messages that are handed to the output together. */
class Run implements OutcomeListener {
  readonly #path: DirectPath;
  readonly #output: JointOutput;
  readonly #listener: OutcomeListener;
  /** The processed messages. They are released once the output has them. */
  #messages: Message[] = [];
  /** The indexes by which the listener knows these messages. */
  readonly #indexes: number[] = [];
  /** What tells the observer the outcomes; empty without one. It alone is kept, to release the messages. */
  readonly #ends: ObservedBatch["ended"][] = [];

  constructor(path: DirectPath, output: JointOutput, listener: OutcomeListener) {
    this.#path = path;
    this.#output = output;
    this.#listener = listener;
  }

  add(message: Message, index: number, observed: ObservedBatch | undefined): void {
    this.#path.flow.begin();
    this.#messages.push(message);
    this.#indexes.push(index);
    if (observed !== undefined) this.#ends.push(observed.ended);
  }

  write(): void {
    const { counters } = this.#path;
    const messages = this.#messages;
    this.#messages = [];
    counters.received += messages.length;
    counters.inFlight += messages.length;
    this.#output.writeEach(messages, this);
  }

  get takesResponse(): boolean {
    return this.#listener.takesResponse === true;
  }

  confirm(place: number, delivered?: Delivered): void {
    const { counters } = this.#path;
    counters.written += 1;
    counters.delivered += 1;
    this.#end(place, undefined);
    this.#listener.confirm(this.#indexes[place] ?? place, delivered);
  }

  fail(place: number, error: unknown): void {
    if (error instanceof GatewayError) noteFailure(error, this.#output);
    const failure = this.#path.countFailure(error, 1);
    this.#end(place, failure);
    this.#listener.fail(this.#indexes[place] ?? place, failure);
  }

  #end(place: number, failure: GatewayError | undefined): void {
    this.#ends[place]?.(failure);
    this.#path.counters.inFlight -= 1;
    this.#path.flow.end();
  }
}
