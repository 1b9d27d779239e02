import { closeAll, endpointsOf, startOutputs } from "../../component/children.ts";
import type { Delivered, Output } from "../../component/component.ts";
import { joinDemands, withRelease } from "../../component/demand.ts";
import { findHeld, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered, joinFailures } from "../../component/outcomes.ts";
import { notConnected, writePersistently } from "../../component/persistence.ts";
import { failureIn, outcomeOfPassedOn, type PassedOn } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { Logger } from "../../process/log.ts";
import { outputWithBatching } from "../../processors/around/with-batching.ts";
import { type BrokerOutputOptions, brokerOutputDefaults } from "./generated/output-options.ts";

/** Decides which outputs receive a batch. */
interface Pattern {
  /** Whether every output receives every batch, rather than one of them. */
  readonly reachesAll: boolean;
  write(batch: Batch, running: Running): Promise<Delivered>;
  /** Refuses the batches that wait for an output. */
  release?(): void;
}

type PatternName = NonNullable<BrokerOutputOptions["pattern"]>;

/** Creates the pattern with that name for `outputs`. */
function createPattern(name: PatternName, outputs: readonly Output[]): Pattern {
  switch (name) {
    case "fan_out":
      return { reachesAll: true, write: (batch, running) => writeAll(outputs, batch, repeating(running)) };
    case "fan_out_fail_fast":
      return { reachesAll: true, write: (batch) => writeAll(outputs, batch, writeThroughGate) };
    case "fan_out_sequential":
      return {
        reachesAll: true,
        write: (batch, running) => writeInOrder(outputs, batch, repeating(running)),
      };
    case "fan_out_sequential_fail_fast":
      return { reachesAll: true, write: (batch) => writeInOrder(outputs, batch, writeThroughGate) };
    case "round_robin":
      return createRotation(outputs);
    case "greedy":
      return createGreedy(outputs);
  }
}

/** Writes to one output. */
type Write = (output: Output, batch: Batch, place: number) => Promise<Delivered>;

/** Returns a write that retries a failing output on its own, so that the others receive no message twice. */
function repeating({ log, signal }: Running): Write {
  return (output, batch, place) =>
    writePersistently(output, batch, {
      log,
      signal,
      fields: { output: place },
      complaint: "an output of the fan-out failed, retrying",
    });
}

function writeAll(outputs: readonly Output[], batch: Batch, write: Write): Promise<Delivered> {
  return joinDelivered(outputs.map((output, place) => write(output, batch, place)));
}

/** Writes to each output what the previous one has confirmed. */
async function writeInOrder(outputs: readonly Output[], batch: Batch, write: Write): Promise<Delivered> {
  const response: Message[] = [];
  const failures: GatewayError[] = [];
  let left = batch;
  for (const [place, output] of outputs.entries()) {
    try {
      response.push(...((await write(output, left, place)).response ?? []));
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      failures.push(failure);
      const undelivered = new Set(failure.undelivered(left));
      left = left.filter((message) => !undelivered.has(message));
      if (left.length === 0) break;
    }
  }
  if (failures.length > 0) throw joinFailures(failures);
  return response.length > 0 ? { response } : {};
}

/**
 * Rotates between outputs. If one fails, the next one gets the batch. Outputs for clients are skipped while they have
 * no demand, unless that is true of all outputs.
 */
function createRotation(outputs: readonly Output[]): Pattern {
  let turn = 0;
  return {
    reachesAll: false,
    async write(batch, running) {
      const begin = turn++;
      const inTurn = outputs.map((_, step) => outputs[(begin + step) % outputs.length] ?? outputs[0]);
      const candidates = inTurn.filter((output) => output !== undefined);
      const present = candidates.filter((output) => isPresent(output) && takes(output, batch));
      return writeToFirst(present.length > 0 ? present : candidates, batch, running);
    },
  };
}

/**
 * Writes to the first of `outputs`, and to the next what that does not accept. A message that one output refuses for good is
 * delivered again if another was only not there.
 */
async function writeToFirst(outputs: readonly Output[], batch: Batch, running: Running): Promise<Delivered> {
  const [output, ...others] = outputs;
  if (output === undefined) throw noDemand();
  try {
    return await writeThroughGate(output, batch);
  } catch (error) {
    const failure = toGatewayError(error, 500, "Internal error");
    if (others.length === 0 || running.signal.aborted || !isPresent(output)) throw failure;
    running.log.debug("an output failed, trying the next");
    const left: PassedOn = new Map(
      failure.undelivered(batch).map((message) => [message, [message, failureIn(failure, message)]]),
    );
    try {
      return await writeToFirst(others, [...left.keys()], running);
    } catch (later) {
      throw outcomeOfPassedOn(batch, left, later, failure);
    }
  }
}

/** Writes to whichever output is free first. Failures go to the input. */
function createGreedy(outputs: readonly Output[]): Pattern {
  const free = new FreeOutputs(outputs);
  return {
    reachesAll: false,
    async write(batch, { signal }) {
      const output = await free.take((each) => takes(each, batch), signal);
      try {
        return await writeThroughGate(output, batch);
      } finally {
        free.give(output);
      }
    },
    release: () => free.release(),
  };
}

function isPresent({ demand }: Output): boolean {
  return demand === undefined || demand.wanted;
}

/** Returns whether the gate of the output holds back no message of the batch. */
function takes(output: Output, batch: Batch): boolean {
  return batch.every((_, index) => findHeld(output, batch, index) === undefined);
}

/** Number of batches that an output processes before it counts as busy. */
const atATime = 64;

interface Waiting {
  readonly suits: (output: Output) => boolean;
  readonly resolve: (output: Output) => void;
  readonly reject: (failure: GatewayError) => void;
}

/** Tracks how busy outputs are: the least busy one is next, and a stuck one gets nothing more. */
class FreeOutputs {
  readonly #working: Map<Output, number>;
  #waiting: Waiting[] = [];

  constructor(outputs: readonly Output[]) {
    this.#working = new Map(outputs.map((output) => [output, 0]));
    for (const { demand } of outputs) demand?.onChange(() => this.#serve());
  }

  /** Returns the least busy suitable output; waits until one is free. The caller releases it with `give`. */
  take(suits: Waiting["suits"], end: AbortSignal): Promise<Output> {
    if (![...this.#working.keys()].some(suits)) suits = () => true; // if no output suits, the gate reports the reason
    const output = this.#leastBusy(suits);
    if (output !== undefined) return Promise.resolve(this.#occupy(output));
    if (end.aborted) return Promise.reject(noDemand());
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(noDemand());
      };
      end.addEventListener("abort", refuse, { once: true });
      const waiting: Waiting = {
        suits,
        reject,
        resolve: (found) => {
          end.removeEventListener("abort", refuse);
          resolve(found);
        },
      };
      this.#waiting.push(waiting);
    });
  }

  /** Records that an output has finished a batch. Of equally busy outputs, the one that has waited longest is next. */
  give(output: Output): void {
    const working = this.#working.get(output) ?? 1;
    this.#working.delete(output);
    this.#working.set(output, working - 1);
    this.#serve();
  }

  /** Refuses the waiting batches. */
  release(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(noDemand());
  }

  #serve(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ suits, resolve }) => {
      const output = this.#leastBusy(suits);
      if (output !== undefined) resolve(this.#occupy(output));
      return output === undefined;
    });
  }

  #occupy(output: Output): Output {
    this.#working.set(output, (this.#working.get(output) ?? 0) + 1);
    return output;
  }

  #leastBusy(suits: Waiting["suits"]): Output | undefined {
    let found: Output | undefined;
    let least = atATime;
    for (const [output, working] of this.#working) {
      if (working >= least || output.demand?.wanted === false || !suits(output)) continue;
      found = output;
      least = working;
    }
    return found;
  }
}

/**
 * Returns the failure without demand. It is not retryable: the write returns to its owner, so that the input can
 * release the batch.
 */
function noDemand(): GatewayError {
  return new GatewayError(503, "No output accepts messages", { retryable: false });
}

/** The part of the broker's context that patterns use. */
interface Running {
  readonly log: Logger;
  /** Aborted when the broker closes, or its stream ends. */
  readonly signal: AbortSignal;
}

/**
 * Passes messages to its outputs, to all or to one of them, depending on the pattern. A write is confirmed when every
 * output that received the batch has confirmed it.
 */
export function brokerOutput({ pattern: name, outputs, batching }: BrokerOutputOptions): Output {
  const pattern = createPattern(name ?? brokerOutputDefaults.pattern, outputs);
  const closing = new AbortController();
  let running: Running | undefined;
  const demand = joinDemands(outputs, pattern.reachesAll ? "every" : "some");
  const joined: Output = {
    endpoints: endpointsOf(outputs),
    ...(demand && { demand: withRelease(demand, () => pattern.release?.()) }),
    takesFailed(batch, index) {
      const takes = (output: Output) => findHeld(output, batch, index) === undefined;
      return pattern.reachesAll ? outputs.every(takes) : outputs.some(takes);
    },
    async start(context) {
      running = { log: context.log, signal: AbortSignal.any([closing.signal, context.signal]) };
      await startOutputs(outputs, context);
    },
    async write(batch) {
      if (running === undefined) throw notConnected();
      return pattern.write(batch, running);
    },
    async close() {
      abort(closing);
      await closeAll(outputs);
    },
  };
  return batching === undefined ? joined : outputWithBatching(joined, batching);
}
