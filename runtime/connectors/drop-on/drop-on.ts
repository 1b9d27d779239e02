import { wrapOutput } from "../../component/children.ts";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { heldFailure, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { notConnected } from "../../component/persistence.ts";
import { pause } from "../../concurrency/backoff.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import type { Batch } from "../../message/message.ts";
import type { DropOnOutputOptions } from "./generated/output-options.ts";

/** Abandoned writes that an output may still hold; above, messages are dropped untried. */
const abandonedLimit = 1024;

/** Whether a message the output failed on so is dropped. */
type IsDropped = (failure: GatewayError) => boolean;

/** What a write that took too long ends with, here only. */
const tooSlow = Symbol("too slow");

/**
 * Confirms messages that its output fails on, or does not take in time, although they are lost: only here is
 * that asked for. What a write that took too long becomes is not known; it may still arrive.
 */
export function dropOn(options: DropOnOutputOptions, isDropped: IsDropped): Output {
  const { output, back_pressure: patience = 0 } = options;
  const closing = new AbortController();
  let context: ComponentContext | undefined;
  let abandoned = 0;

  /** Writes, and gives up waiting after `patience`. */
  async function writeInTime(batch: Batch, end: AbortSignal): Promise<Delivered | typeof tooSlow> {
    if (patience === 0) return writeThroughGate(output, batch);
    if (abandoned >= abandonedLimit) return tooSlow;
    const done = new AbortController();
    // Messages for clients are not written without a client: they could not be taken back.
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
      done.abort();
    }
  }

  async function writeOrDrop(batch: Batch, running: ComponentContext): Promise<Delivered> {
    const end = AbortSignal.any([closing.signal, running.signal]);
    try {
      const outcome = await writeInTime(batch, end);
      if (outcome !== tooSlow) return outcome as Delivered;
      running.log.warn("output too slow, messages are dropped", { messages: batch.length });
      return {};
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      if (end.aborted || !isDropped(failure)) throw failure;
      // Which message of a batch failed is not known: one by one, only that is lost.
      if (batch.length > 1) return joinDelivered(batch.map((message) => writeOrDrop([message], running)));
      // A gate behind steps of the output has held up what came with a flag: that is not to be dropped.
      if (batch.some((message) => heldFailure(message) === error)) throw failure;
      running.log.warn("the output failed, the message is dropped", { reason: failure.answer });
      return {};
    }
  }

  const { demand, ...wrapped } = wrapOutput(output, {
    start(given) {
      context = given;
      return output.start(given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      return writeOrDrop(batch, context);
    },
    async close() {
      closing.abort();
      await output.close();
    },
  });
  // Where messages are dropped without demand, the input is read without demand.
  return demand === undefined || patience > 0 ? wrapped : { ...wrapped, demand };
}

/** Resolves once there is demand, or `end` is aborted; at once for outputs without clients. */
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

/** Drops what its output fails on, whatever the error, or does not take in time. */
export function dropOnOutput(options: DropOnOutputOptions): Output {
  return dropOn(options, () => options.error === true);
}
