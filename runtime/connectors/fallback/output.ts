import { closeAll, endpointsOf, startOutputs } from "../../component/children.ts";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { acceptFailure, failureOf, writeThroughGate } from "../../component/gate.ts";
import { notConnected } from "../../component/persistence.ts";
import {
  type DividedWrite,
  divideWrite,
  FailedMessages,
  joinParts,
  outcomeOfPassedOn,
  type PassedOn,
  UnfitMessages,
  withFailures,
} from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { describeFailure } from "../../failures/description.ts";
import { warnOfMessages } from "../../failures/failure-log.ts";
import type { Batch } from "../../message/message.ts";
import type { FallbackOutputOptions } from "./generated/output-options.ts";

/**
 * Tries its outputs in order: messages that one output refuses go to the next, with the reason in the metadata
 * `fallback_error`. Rejects with the last failure of those that none accepts; if that is for good and an earlier one is not,
 * with the earlier one, as the message may be delivered later. Messages that a processor failed on are written separately, so
 * that outputs which are not meant for them refuse only them, and not the rest of their batch.
 */
export function fallbackOutput(outputs: FallbackOutputOptions): Output {
  const closing = new AbortController();
  const [first] = outputs;
  let context: ComponentContext | undefined;

  async function writeFrom(place: number, batch: Batch, running: ComponentContext): Promise<Delivered> {
    const output = outputs[place];
    if (output === undefined) throw notConnected();
    try {
      return await writeThroughGate(output, batch);
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      const isLast = place === outputs.length - 1;
      const isEnding = closing.signal.aborted || running.signal.aborted;
      // The next output may accept a message that this one never does, once it is delivered again.
      if (isEnding && !isLast && failure instanceof UnfitMessages) throw stopping(failure);
      if (isEnding || lacksDemand(output)) throw failure;
      const divided = divide(batch, failure);
      if (isLast && (divided === undefined ? isDelivered(failure) : divided.left.length === 0)) throw failure;
      if (divided === undefined)
        return joinParts(batch.map((message) => [[message], writeFrom(place, [message], running)]));
      const { failed, left } = divided;
      const failing = isLast
        ? Promise.reject(withFailures(failure, new Map(failed), true))
        : passOn(place, batch, failed, failure, running);
      return left.length === 0
        ? failing
        : joinParts([
            [left, writeFrom(place, left, running)],
            [failed.map(([message]) => message), failing],
          ]);
    }
  }

  /** Writes the messages of a batch that an output failed on to the next one. */
  async function passOn(
    place: number,
    batch: Batch,
    failed: DividedWrite["failed"],
    failure: GatewayError,
    running: ComponentContext,
  ): Promise<Delivered> {
    const text = "an output failed, falling back to the next";
    warnOfMessages(running, text, failed.length, { output: place, ...describeFailure(failure) });
    const given = withReasons(outputs[place], failed);
    try {
      return await writeFrom(place + 1, [...given.keys()], running);
    } catch (later) {
      throw outcomeOfPassedOn(batch, given, later, failure);
    }
  }

  return {
    endpoints: endpointsOf(outputs),
    ...(first?.demand && { demand: first.demand }),
    takesFailed: (batch, index) => outputs.length > 1 || (first?.takesFailed?.(batch, index) ?? false),
    start(given) {
      context = given;
      return startOutputs(outputs, given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      const running = context;
      const failed = batch.filter((message) => failureOf(message) !== undefined);
      const others = batch.filter((message) => failureOf(message) === undefined);
      const parts = [others, failed].filter((part) => part.length > 0);
      return joinParts(parts.map((part) => [part, writeFrom(0, part, running)]));
    },
    async close() {
      abort(closing);
      await closeAll(outputs);
    },
  };
}

/** Returns the failure of messages that are left to a later delivery. */
function stopping(cause: GatewayError): GatewayError {
  return new GatewayError(503, "Stream is stopping", { retryAfter: 1, cause });
}

/** Returns whether demand is missing. That is not a failure: the input keeps the messages. */
function lacksDemand({ demand }: Output): boolean {
  return demand !== undefined && !demand.wanted;
}

/**
 * Returns the messages that a write failed on, each with its own reason if it is known; `undefined` if each alone tells which
 * are refused for good.
 */
function divide(batch: Batch, failure: GatewayError): DividedWrite | undefined {
  const divided = failure instanceof FailedMessages ? divideWrite(batch, failure) : undefined;
  if (divided !== undefined || failure instanceof UnfitMessages) return divided;
  return { failed: batch.map((message) => [message, failure]), left: [] };
}

/** Returns whether writing the messages of a failed write again, each alone, would deliver some twice. */
function isDelivered(failure: GatewayError): boolean {
  return failure instanceof FailedMessages && failure.othersDelivered;
}

/**
 * Returns the messages with their reasons, each with the one it was made from and its failure.
 * If an output refused messages because a processor failed on them, each gets its own failure as the reason.
 */
function withReasons(output: Output | undefined, failed: DividedWrite["failed"]): PassedOn {
  const batch = failed.map(([message]) => message);
  const isOwn = failed.some(([message, failure]) => failureOf(message) === failure);
  return new Map(
    failed.map(([message, failure], index) => {
      const own = isOwn ? failureOf(message) : undefined;
      const isRejected = own !== undefined && output?.takesFailed?.(batch, index) === true;
      const reason = (own ?? failure).message;
      const given = acceptFailure(message).withEntries([
        ["fallback_error", isRejected ? `rejecting due to failed processing: ${reason}` : reason],
      ]);
      return [given, [message, failure]];
    }),
  );
}
