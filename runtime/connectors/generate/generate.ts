import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, createRedeliveryOfEach, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { pause } from "../../concurrency/backoff.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { type GatewayError, toGatewayError } from "../../errors.ts";
import { createSourceFailures, type SourceFailures } from "../../failures/source-failures.ts";
import type { Batch, Message } from "../../message/message.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { parseDuration } from "../../text/duration.ts";
import { type GenerateInputOptions, generateInputDefaults } from "./generated/input-options.ts";

/** Largest number of deliveries in progress; also the number of batches that are made before other work gets a turn. */
const inFlightLimit = 64;

/**
 * Makes messages with a mapping, one batch at each tick, while the number of batches in progress is limited. A failed
 * delivery is retried, or given up if the document asks for that. The input ends after `count` messages, once all are
 * confirmed. Messages that the mapping deletes or fails on do not count.
 */
export function generate(options: GenerateInputOptions, ticks: Ticks): Input {
  // Connected by hand: a signal of `AbortSignal.any` is slow to read, and it is read for each batch.
  const ending = new AbortController();
  const end = () => abort(ending);
  let signal: AbortSignal | undefined;
  let running: Promise<void> | undefined;
  return {
    async start(context) {
      signal = context.signal;
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
      running = run(options, ticks, context, ending.signal);
    },
    async close() {
      signal?.removeEventListener("abort", end);
      end();
      await running;
    },
  };
}

async function run(
  options: GenerateInputOptions,
  ticks: Ticks,
  context: InputContext,
  end: AbortSignal,
): Promise<void> {
  const { mapping, count, batch_size: size, auto_replay_nacks } = { ...generateInputDefaults, ...options };
  const deliver = createDelivery(withReplay(context, auto_replay_nacks), size);
  const failures = createSourceFailures("making messages", context);
  const underWay = new Semaphore(inFlightLimit, context.collectors);
  const ended = () => underWay.release();
  let [made, madeInTurn] = [0, 0];
  const isWanted = () => !end.aborted && (count === 0 || made < count);
  /** Makes the batches that are due: one after an interval, otherwise as many as there is room for. */
  const makeDue = (isPaced: boolean): readonly Batch[] => {
    const batches: Batch[] = [];
    let isAdmitted = true;
    while (isAdmitted) {
      const wanted = count === 0 ? size : Math.min(size, count - made);
      const batch = end.aborted ? [] : makeBatch(mapping, wanted, failures);
      madeInTurn += 1;
      made += batch.length;
      if (batch.length > 0) batches.push(batch);
      else ended();
      const isFurther = !isPaced && madeInTurn < inFlightLimit && isWanted();
      isAdmitted = isFurther && underWay.fits(1) && underWay.acquire() === undefined;
    }
    return batches;
  };
  while (isWanted()) {
    const due = ticks.next(end);
    if (due !== undefined) await due;
    const admitted = underWay.acquire();
    if (admitted !== undefined) await admitted;
    if (admitted !== undefined || madeInTurn >= inFlightLimit) {
      // Other work gets a turn. What is confirmed in it is replaced together.
      await new Promise(setImmediate);
      madeInTurn = 0;
    }
    const batches = makeDue(due !== undefined);
    if (batches.length > 0) deliver(batches, end, ended);
  }
  await underWay.idle();
  if (!end.aborted) context.reportEnd?.();
}

/** Delivers batches until they are confirmed, and calls `ended` once for each. */
type DeliverBatches = (batches: readonly Batch[], end: AbortSignal, ended: () => void) => void;

/** `size`: the size of the batches. Messages on their own are handed on together. */
function createDelivery(context: InputContext, size: number): DeliverBatches {
  if (size === 1) {
    const deliverEach = createRedeliveryOfEach(context);
    return (batches, end, ended) => deliverEach(batches.flat(), end, ended);
  }
  const { deliver } = createRedelivery(context);
  return (batches, end, ended) => {
    for (const batch of batches) void deliver(batch, end).then(ended);
  };
}

/**
 * Makes a batch. The mapping reads the messages made so far, as in the reference engine: `batch_size()` counts them, and
 * `this` is the first. Messages that the mapping deletes or fails on are left out.
 */
function makeBatch(mapping: GenerateInputOptions["mapping"], size: number, failures: SourceFailures): Batch {
  const made: Message[] = [];
  let failure: GatewayError | undefined;
  for (let index = 0; index < size; index += 1) {
    try {
      const message = mapping(made, 0);
      if (message !== undefined) made.push(message);
    } catch (error) {
      failure ??= toGatewayError(error, 500, "the mapping failed");
    }
  }
  if (failure === undefined) failures.succeeded();
  else failures.failed(failure);
  return made;
}

/** The times at which messages are due. */
export interface Ticks {
  /** Waits for the next time, or until `end` is aborted; returns `undefined` if a message is due now. */
  next(end: AbortSignal): Promise<void> | undefined;
}

/**
 * Parses an interval: `5s` starts now, `@every 5s` starts after the first interval, an empty text means no pause.
 * Returns `undefined` if the text is not an interval. Times that passed while messages were held up are skipped.
 */
export function createInterval(text: string): Ticks | undefined {
  const [, every, duration = ""] = /^(@every\s+)?(\S.*)?$/.exec(text.trim()) ?? [];
  const period = duration === "" ? 0 : parseDuration(duration);
  if (period === undefined || (duration === "" && every !== undefined)) return undefined;
  if (period === 0) return { next: () => undefined };
  let due = every === undefined ? performance.now() : performance.now() + period;
  return {
    async next(end) {
      const begin = Math.max(due, performance.now());
      due = begin + period;
      // A timer counts from the start of the event loop's turn, and may therefore end early.
      for (let wait = begin - performance.now(); wait > 0 && !end.aborted; wait = begin - performance.now()) {
        await pause(wait, end);
      }
    },
  };
}

/** Makes messages at an interval: `1s`, `@every 5m`. */
export function generateInput(options: GenerateInputOptions): Input {
  const { interval = generateInputDefaults.interval } = options;
  const ticks = createInterval(interval);
  if (ticks === undefined) throw new EnvironmentError([`\`${interval}\` is not an interval`]);
  return generate(options, ticks);
}
