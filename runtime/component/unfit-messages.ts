// The errors of writes of which it is known which messages failed, some of them for good: their protocol cannot carry them, or
// their target never accepts them.

import { GatewayError, MappingError, toGatewayError } from "../errors.ts";
import { noteFailureAt, placeOf } from "../failures/place.ts";
import type { Batch, Message } from "../message/message.ts";
import type { Delivered } from "./component.ts";
import { joinDelivered, joinFailures } from "./outcomes.ts";
import type { Text } from "./text.ts";

/** The error of a write of which it is known which messages failed. The first that may yet be delivered decides. */
export class FailedMessages extends GatewayError {
  override readonly name: string = "FailedMessages";
  /** The failures by message, as passed to the output. */
  readonly failures: ReadonlyMap<Message, GatewayError>;
  /**
   * Whether the other messages of the write are delivered. Otherwise at least one output of it was sent nothing, and they are
   * to be written again.
   */
  readonly othersDelivered: boolean;

  constructor(
    failures: ReadonlyMap<Message, GatewayError>,
    first: GatewayError,
    othersDelivered: boolean,
    retryable: boolean = first.retryable,
  ) {
    const { status, message, retryAfter, reason, ...options } = first;
    super(status, message, {
      ...options,
      retryable,
      cause: first.cause,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(reason !== undefined && { reason }),
    });
    this.failures = failures;
    this.othersDelivered = othersDelivered;
  }

  /** As in `GatewayError`. Messages that were made into others on their way are not known here: then it is all of them. */
  override undelivered<M>(messages: readonly M[]): readonly M[] {
    if (!this.othersDelivered) return messages;
    const failures: ReadonlyMap<unknown, GatewayError> = this.failures;
    const failed = messages.filter((message) => failures.has(message));
    return failed.length === failures.size ? failed : messages;
  }

  /** As in `GatewayError`. A part of which it is not known what failed decides, else one whose messages may yet be delivered. */
  override joined(failures: readonly unknown[]): unknown {
    if (failures.length === 1) return this;
    const all = new Map<Message, GatewayError>();
    let decisive: FailedMessages = this;
    let othersDelivered = true;
    for (const failure of failures) {
      if (!(failure instanceof FailedMessages)) return failure;
      if (hopeOf(failure) > hopeOf(decisive)) decisive = failure;
      // The failure of a message that is refused for good may itself say that a retry can help.
      for (const [message, own] of failure.failures)
        all.set(message, failure.retryable ? own : lasting(own, failure));
      othersDelivered &&= failure.othersDelivered;
    }
    return withFailures(decisive, all, othersDelivered);
  }
}

/** How likely its messages are delivered later; compared with that of other failures. */
function hopeOf(failure: FailedMessages): number {
  if (failure.retryable) return 2;
  return failure instanceof UnfitMessages ? 0 : 1;
}

/** The error of a write some of whose messages can never be delivered, and that did not fail otherwise. */
export class UnfitMessages extends FailedMessages {
  override readonly name = "UnfitMessages";

  constructor(
    failures: ReadonlyMap<Message, GatewayError>,
    first: GatewayError,
    othersDelivered: boolean = false,
  ) {
    super(failures, first, othersDelivered, false);
  }
}

/** A failed write, divided into the messages that are not delivered, with the failure of each, and those to write again. */
export interface DividedWrite {
  readonly failed: readonly (readonly [message: Message, failure: GatewayError])[];
  readonly left: Batch;
}

/**
 * Divides the messages of a write that failed with `error`. Returns `undefined` if it is not known which were at fault: each
 * alone tells. That is so for messages that were made into others on their way; a single one is at fault whatever was made
 * of it.
 */
export function divideWrite(batch: Batch, error: FailedMessages): DividedWrite | undefined {
  const { failures, othersDelivered } = error;
  const [only] = batch;
  if (batch.length === 1 && only !== undefined) {
    const [first = error] = failures.values();
    return { failed: [[only, failures.get(only) ?? first]], left: [] };
  }
  const failed: [Message, GatewayError][] = [];
  const left: Message[] = [];
  for (const message of batch) {
    const failure = failures.get(message);
    if (failure === undefined) left.push(message);
    else failed.push([message, failure]);
  }
  if (failed.length === 0 || failed.length !== failures.size) return undefined;
  return { failed, left: othersDelivered ? [] : left };
}

/**
 * Writes messages one by one, in order. Continues after those that can never be delivered, and rejects with their failures;
 * stops at the first failure of another kind.
 */
export async function oneByOne<M>(
  messages: readonly M[],
  write: (message: M) => Promise<Delivered>,
): Promise<Delivered> {
  const responses: Message[] = [];
  const failures: unknown[] = [];
  for (const message of messages) {
    try {
      responses.push(...((await write(message)).response ?? []));
    } catch (error) {
      failures.push(error);
      if (!(error instanceof UnfitMessages)) throw withOthersLeft(joinFailures(failures));
    }
  }
  if (failures.length > 0) throw joinFailures(failures);
  return responses.length > 0 ? { response: responses } : {};
}

/** Returns `failure` as that of a write which ended before all of its messages were written. */
export function withOthersLeft(failure: unknown): unknown {
  return failure instanceof FailedMessages ? withFailures(failure, failure.failures, false) : failure;
}

/**
 * Returns the failure of `part`, some messages of a larger write, so that it names those of them that may not be delivered:
 * the others have outcomes of their own. A failure of which each message alone tells whether it is refused stays as it is, and so
 * does that of a mapping, of which operators read the detail.
 */
export function failureOfPart(part: Batch, error: unknown): GatewayError {
  const failure = toGatewayError(error, 500, "Internal error");
  const divided = failure instanceof FailedMessages ? divideWrite(part, failure) : undefined;
  if (divided?.left.length === 0) return withFailures(failure, new Map(divided.failed), true);
  if (divided !== undefined || failure instanceof UnfitMessages || failure instanceof MappingError)
    return failure;
  return withFailures(failure, new Map(part.map((message) => [message, failure])), true);
}

/** Waits for writes of different messages, as `joinDelivered`; the failure of one does not hide that others are delivered. */
export function joinParts(
  parts: readonly (readonly [part: Batch, write: Promise<Delivered>])[],
): Promise<Delivered> {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only[1];
  return joinDelivered(
    parts.map(([part, write]) =>
      write.catch((error: unknown) => {
        throw failureOfPart(part, error);
      }),
    ),
  );
}

/** Returns why a message of a write that failed with `failure` is not delivered. */
export function failureIn(failure: GatewayError, message: Message): GatewayError {
  return failure instanceof FailedMessages ? (failure.failures.get(message) ?? failure) : failure;
}

/** Messages that are given to a further output: each with the one it was made from, and the failure of that one so far. */
export type PassedOn = ReadonlyMap<Message, readonly [message: Message, failure: GatewayError]>;

/**
 * Returns the outcome of a batch of which an output failed on `given` with `failure`, and a further one with `later`: that, unless
 * only the further one refuses a message for good.
 */
export function outcomeOfPassedOn(
  batch: Batch,
  given: PassedOn,
  later: unknown,
  failure: GatewayError,
): unknown {
  const last = given.size < batch.length ? failureOfPart([...given.keys()], later) : later;
  if (!(last instanceof FailedMessages)) return last;
  const mayPass = last instanceof UnfitMessages && failure.retryable;
  const [only] = given.size === 1 ? given.values() : [];
  const failures = new Map<Message, GatewayError>();
  let decisive: GatewayError = last;
  for (const [message, own] of last.failures) {
    const [original, earlier] = given.get(message) ?? only ?? [message, undefined];
    const passing = mayPass && earlier?.retryable === true ? earlier : undefined;
    if (passing !== undefined) decisive = failure;
    failures.set(original, passing ?? own);
  }
  return withFailures(decisive, failures, last.othersDelivered);
}

/** Returns the failure of a message that is refused for good: `own`, unless that says that a retry can help. */
function lasting(own: GatewayError, error: GatewayError): GatewayError {
  return own.retryable ? error : own;
}

/** Returns `error` with other failures, at the same place. */
export function withFailures(
  error: GatewayError,
  failures: FailedMessages["failures"],
  othersDelivered: boolean,
): FailedMessages {
  const Kind = error instanceof UnfitMessages ? UnfitMessages : FailedMessages;
  const changed = new Kind(failures, error, othersDelivered);
  const place = placeOf(error);
  if (place !== undefined) noteFailureAt(changed, place);
  return changed;
}

/** Returns `failure` as that of one message of a write, whose other messages have outcomes of their own. */
export function failedMessage(message: Message, failure: GatewayError): FailedMessages {
  return failure instanceof FailedMessages ? failure : failedMessages([message], failure);
}

/** As `failedMessage`, for several messages with the same failure. */
export function failedMessages(messages: Batch, failure: GatewayError): FailedMessages {
  return new FailedMessages(new Map(messages.map((message) => [message, failure])), failure, true);
}

/** Returns the error of a message that was sent, and that is itself at fault: its target never accepts it. */
export function unfitMessage(message: Message, failure: GatewayError): UnfitMessages {
  return new UnfitMessages(new Map([[message, failure]]), failure, true);
}

/**
 * Returns the error of a message to a target that the server does not let the gateway use. If the target is computed, the
 * message is at fault; otherwise no message can be delivered.
 */
export function refusedTarget(message: Message, target: Text, failure: GatewayError): GatewayError {
  return typeof target === "string" ? failure : unfitMessage(message, failure);
}
