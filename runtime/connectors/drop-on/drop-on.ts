import { wrapOutput } from "../../component/children.ts";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { heldFailure, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { notConnected } from "../../component/persistence.ts";
import { abort } from "../../concurrency/abort.ts";
import { pause } from "../../concurrency/backoff.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { describeFailure } from "../../failures/description.ts";
import { warnOfMessages } from "../../failures/failure-log.ts";
import { startAt } from "../../failures/place.ts";
import type { Batch } from "../../message/message.ts";
import type { DropOnOutputOptions } from "./generated/output-options.ts";

/** Number of abandoned writes that an output may still hold; above it, messages are dropped without an attempt. */
const abandonedLimit = 1024;

/** Returns whether a message is dropped after this failure of the output. */
type IsDropped = (failure: GatewayError) => boolean;

/** The outcome of a write that took too long; used only in this file. */
const tooSlow = Symbol("too slow");

/**
 * Confirms messages although they are lost, if the output fails on them or is too slow: only this output may do that.
 * The outcome of a write that took too long is not known; its messages may still arrive.
 */
export function dropOn(options: DropOnOutputOptions, isDropped: IsDropped): Output {
  const { output, back_pressure: patience = 0 } = options;
  const closing = new AbortController();
  let context: ComponentContext | undefined;
  let abandoned = 0;

  /** Writes, and stops waiting after `patience` milliseconds. */
  async function writeInTime(batch: Batch, end: AbortSignal): Promise<Delivered | typeof tooSlow> {
    if (patience === 0) return writeThroughGate(output, batch);
    if (abandoned >= abandonedLimit) return tooSlow;
    const done = new AbortController();
    // Without a client, messages for clients are not written at all: they could not be taken back.
    const expiry = pause(patience, AbortSignal.any([done.signal, end])).then(() => tooSlow);
    try {
      if ((await Promise.race([waitForDemand(output, done.signal), expiry])) === tooSlow) return stopped(end);
      const write = writeThroughGate(output, batch);
      const outcome = await Promise.race([write, expiry]);
      if (outcome !== tooSlow) return outcome as Delivered;
      abandoned += 1;
      const settle = () => {
        abandoned -= 1;
      };
      write.then(settle, settle);
      return end.aborted ? write : tooSlow;
    } finally {
      abort(done);
    }
  }

  async function writeOrDrop(batch: Batch, running: ComponentContext): Promise<Delivered> {
    const end = AbortSignal.any([closing.signal, running.signal]);
    try {
      const outcome = await writeInTime(batch, end);
      if (outcome !== tooSlow) return outcome as Delivered;
      warnOfMessages(running, "output too slow, messages are dropped", batch.length);
      return {};
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      if (end.aborted || !isDropped(failure)) throw failure;
      // It may not be known which message of the batch failed: writing them one by one loses only that message.
      if (batch.length > 1)
        return joinDelivered(failure.undelivered(batch).map((message) => writeOrDrop([message], running)));
      // A gate behind processors of the output has held back a message that was already flagged: it must not be
      // dropped.
      if (batch.some((message) => heldFailure(message) === error)) throw failure;
      warnOfMessages(running, "the output failed, the message is dropped", 1, {
        ...describeFailure(failure),
      });
      return {};
    }
  }

  const { demand, ...wrapped } = wrapOutput(output, {
    start(given) {
      context = given;
      return startAt(output, given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      return writeOrDrop(batch, context);
    },
    async close() {
      abort(closing);
      await output.close();
    },
  });
  // If messages are dropped without demand, the input is read without demand too.
  return demand === undefined || patience > 0 ? wrapped : { ...wrapped, demand };
}

/** Resolves once there is demand, or `end` is aborted; immediately for outputs without clients. */
async function waitForDemand({ demand }: Output, end: AbortSignal): Promise<void> {
  if (demand === undefined || demand.wanted) return;
  await new Promise<void>((resolve) => {
    const stop = demand.onChange(() => {
      if (demand.wanted) settle();
    });
    const settle = () => {
      stop();
      resolve();
    };
    end.addEventListener("abort", settle, { once: true });
  });
}

function stopped(end: AbortSignal): typeof tooSlow {
  if (end.aborted) throw new GatewayError(503, "Gateway is closing", { retryable: false });
  return tooSlow;
}

/** Drops messages that its output is too slow for, and with `error` also those on which it fails. */
export function dropOnOutput(options: DropOnOutputOptions): Output {
  return dropOn(options, () => options.error === true);
}
